import type { Store } from '../store/contract.ts'
import { clientRecords } from './client-record.ts'
import type { StoreRegistry } from './store-registry.ts'

/**
 * The registry in the store, whose epochs are never below what was taken back. A store that fails over may lose its
 * last writes, and with them that an epoch was raised, while processes remember what was taken back with it: all that
 * the client got from then on would be dead on arrival.
 *
 * Not for clients in tables of a host's: a copy of them that is late answers an older epoch with what the client has
 * lost since, and its tokens must stay dead.
 *
 * @param parts.lowestEpoch below which epoch some tokens of a client are dead, 0 if none was taken back. In memory
 */
export function withLostEpochs(
  registry: StoreRegistry,
  { store, lowestEpoch }: { readonly store: Store; readonly lowestEpoch: (clientId: string) => number },
): StoreRegistry {
  const records = clientRecords(store)

  return {
    async find(clientId) {
      const client = await registry.find(clientId)
      if (!client) return undefined
      const epoch = lowestEpoch(clientId)
      if (client.epoch >= epoch) return client
      await records.update(clientId, (record) =>
        record.client.epoch < epoch ? { ...record, client: { ...record.client, epoch } } : undefined,
      )
      // From the next time on. Mostly nothing was lost, but it was changed while it was read: what comes of this is dead.
      return client
    },
    verifySecret: (client, secret) => registry.verifySecret(client, secret),
  }
}
