import type { Store } from '../store/contract.ts'
import type { ClientCache } from './client-cache.ts'
import type { RevocationSet } from '../revocation/is-revoked.ts'
import { clientRecords } from './client-record.ts'
import type { ClientRegistry, StoredClient } from './client-registry.ts'

/** The revocations of clients that this process has in memory. */
export type KnownOfClients = Pick<RevocationSet, 'lowestValidEpoch' | 'isClientRevoked'>

/**
 * The registry in the store. If the epoch of a client is lower than a known revocation requires, `find`
 * raises the stored epoch. A failover of the store may have lost a raised epoch. Without the repair, new
 * tokens of the client would carry the lower epoch, and would be rejected.
 *
 * First the client is read again from the store. Usually only the cached client is outdated, because this process
 * missed the message of a change.
 */
export function withRepairedEpochs(
  cache: Pick<ClientCache, 'find' | 'refetch' | 'changed'>,
  { store, known }: { readonly store: Store; readonly known: KnownOfClients },
): ClientRegistry {
  const records = clientRecords(store, cache.changed)
  const isOutdated = ({ clientId, epoch }: StoredClient) =>
    epoch < known.lowestValidEpoch(clientId) || known.isClientRevoked(clientId)

  return {
    async find(clientId) {
      const cached = await cache.find(clientId)
      if (!cached || !isOutdated(cached)) return cached
      const client = await cache.refetch(cached)
      const epoch = known.lowestValidEpoch(clientId)
      if (!client || client.epoch >= epoch) return client
      await records.update(clientId, (record) =>
        record.client.epoch < epoch ? { ...record, client: { ...record.client, epoch } } : undefined,
      )
      // The client may have changed after it was read. So this call returns it with the lower epoch, and tokens with
      // this epoch are rejected. The next call returns the raised epoch.
      return client
    },
  }
}
