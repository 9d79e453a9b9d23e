import type { Store } from '../store/contract.ts'
import type { ClientCache } from './client-cache.ts'
import type { RevocationSet } from '../revocation/is-revoked.ts'
import { clientRecords } from './client-record.ts'
import type { ClientRegistry, StoredClient } from './client-registry.ts'

export type KnownOfClients = Pick<RevocationSet, 'lowestValidEpoch' | 'isClientRevoked'>

/**
 * Raises an epoch that a failover of the store has lost: new tokens with the lower epoch would be rejected. Usually
 * this process has only missed a message about the cached client, so it is read again first.
 */
export function withRepairedEpochs(
  cache: Pick<ClientCache, 'find' | 'cached' | 'refetch' | 'changed'>,
  { store, known }: { readonly store: Store; readonly known: KnownOfClients },
): ClientRegistry {
  const records = clientRecords(store, cache.changed)
  const isOutdated = ({ clientId, epoch }: StoredClient) =>
    epoch < known.lowestValidEpoch(clientId) || known.isClientRevoked(clientId)

  return {
    find(clientId) {
      const known = cache.cached(clientId)
      return known && !isOutdated(known.client) ? known.found : findAndRepair(clientId)
    },
  }

  async function findAndRepair(clientId: string): Promise<StoredClient | undefined> {
    const cached = await cache.find(clientId)
    if (!cached || !isOutdated(cached)) return cached
    const client = await cache.refetch(cached)
    const epoch = known.lowestValidEpoch(clientId)
    if (!client || client.epoch >= epoch) return client
    await records.update(clientId, (record) =>
      record.client.epoch < epoch ? { ...record, client: { ...record.client, epoch } } : undefined,
    )
    // The client may have changed after it was read. The next call returns the raised epoch.
    return client
  }
}
