import type { Store } from '../store/contract.ts'
import type { ClientCache } from './client-cache.ts'
import type { RevocationSet } from '../revocation/is-revoked.ts'
import { clientRecords } from './client-record.ts'
import { verifyStoredSecret, type StoredClient, type StoreRegistry } from './store-registry.ts'

/** The revocations of clients that this process knows, in memory. */
export type KnownOfClients = Pick<RevocationSet, 'lowestValidEpoch' | 'isClientRevoked'>

/**
 * The registry in the store, with epochs that are never below a known revocation. A store that fails over may lose a
 * raised epoch, while processes still know the revocation. New tokens of the client would then be rejected at once.
 *
 * Usually the store lost nothing, and only the cached client is outdated. So the client is read again first: besides the
 * message of the change, a revocation is the second way in which a process learns of it.
 *
 * Not for clients in tables of the host. An outdated copy of such a table returns an older epoch together with what the
 * client has lost since, and tokens issued from it must stay rejected.
 */
export function withRepairedEpochs(
  cache: Pick<ClientCache, 'find' | 'refetch' | 'changed'>,
  { store, known }: { readonly store: Store; readonly known: KnownOfClients },
): StoreRegistry {
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
      // The next call returns the raised epoch. This client may have changed since it was read, so its tokens are rejected.
      return client
    },
    verifySecret: verifyStoredSecret,
  }
}
