import type { Store } from '../store/contract.ts'
import type { ClientCache } from './client-cache.ts'
import { clientRecords } from './client-record.ts'
import type { RevocationSet } from '../revocation/revocation-set.ts'
import type { StoredClient, StoreRegistry } from './store-registry.ts'

/** The revocations of clients that this process knows, in memory. */
export type KnownOfClients = Pick<RevocationSet, 'lowestValidEpoch' | 'isClientRevoked'>

/**
 * The registry in the store, whose epochs are never below what was revoked. A store that fails over may lose its
 * last writes, and with them that an epoch was raised, while processes remember what was revoked with it: all that
 * the client got from then on would be dead on arrival.
 *
 * Mostly nothing was lost, but the client is remembered as it was before. So it is read anew first: that something was
 * revoked is the second way, besides the message of the change, in which a process hears that it has changed.
 *
 * Not for clients in tables of a host's: a copy of them that is late answers an older epoch with what the client has
 * lost since, and its tokens must stay dead.
 */
export function withRepairedEpochs(
  registry: Pick<ClientCache, 'find' | 'refetch' | 'verifySecret' | 'changed'>,
  { store, known }: { readonly store: Store; readonly known: KnownOfClients },
): StoreRegistry {
  const records = clientRecords(store, registry.changed)
  const isOutdated = ({ clientId, epoch }: StoredClient) =>
    epoch < known.lowestValidEpoch(clientId) || known.isClientRevoked(clientId)

  return {
    async find(clientId) {
      const remembered = await registry.find(clientId)
      if (!remembered || !isOutdated(remembered)) return remembered
      const client = await registry.refetch(remembered)
      const epoch = known.lowestValidEpoch(clientId)
      if (!client || client.epoch >= epoch) return client
      await records.update(clientId, (record) =>
        record.client.epoch < epoch ? { ...record, client: { ...record.client, epoch } } : undefined,
      )
      // From the next time on. It may have been changed while it was read: what comes of this is dead.
      return client
    },
    verifySecret: (client, secret) => registry.verifySecret(client, secret),
  }
}
