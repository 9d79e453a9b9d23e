import { createCollection, type Collection } from '../store/collection.ts'
import type { Store } from '../store/contract.ts'
import { countRule, type Fields } from '../validation/rules.ts'
import type { ClientRegistry } from './client-registry.ts'
import { partialRevocationsRule } from './client-schema.ts'
import type { Client } from './client.ts'
import type { PartialRevocation } from './client-record.ts'

/** What is added to the `epoch` of a client in the host's tables, so that its tokens can be revoked. */
export interface HostEpoch {
  readonly offset: number
  /** The partial revocation, by the epoch that tokens carry, as with clients in the store. */
  readonly partialRevocations?: PartialRevocation | undefined
}

/** An index of the client ids that may have an offset. It is kept permanently. */
export const CLIENTS_WITH_OFFSET = 'client-epochs'

/** The offsets in the store. */
export function storedOffsets(store: Store): Collection<HostEpoch> {
  return createCollection(store, { name: 'client-epoch', version: 1, fields: OFFSET })
}

const OFFSET: Fields = { offset: countRule, partialRevocations: partialRevocationsRule }

const NONE: HostEpoch = { offset: 0 }

/** Offsets are kept permanently, because the epoch of a client must never fall. */
export function createHostEpochs(store: Store) {
  const offsets = storedOffsets(store)

  return {
    get: async (clientId: string) => (await offsets.get(clientId)) ?? NONE,

    /** Raises the offset by one. @param partial the partial revocation; undefined if all tokens are revoked */
    async raise(clientId: string, partial?: (before: HostEpoch) => PartialRevocation): Promise<void> {
      const raised = (before: HostEpoch): HostEpoch => ({
        offset: before.offset + 1,
        partialRevocations: partial?.(before),
      })
      // The index is written first, so that every offset is listed.
      await store.add(CLIENTS_WITH_OFFSET, clientId)
      if (await offsets.update(clientId, raised)) return
      if (await offsets.create(clientId, raised(NONE))) return
      // Another process has created the offset in between, so that offset is raised.
      await offsets.update(clientId, raised)
    },
  }
}

/** The epoch offsets of clients in the host's tables. A client has none until its tokens are revoked. */
export type HostEpochs = ReturnType<typeof createHostEpochs>

/** The host's registry, with the epochs that tokens carry: the epoch of the host plus the offset. */
export function withEpochOffsets(registry: ClientRegistry, epochs: Pick<HostEpochs, 'get'>): ClientRegistry {
  // The host's registry recognizes a client by the object that it returned.
  const originals = new WeakMap<Client, Client>()

  return {
    async find(clientId) {
      // Reads the offset before the row. A request that reads the raised offset must not use an older row. Otherwise a
      // token for access that the client has lost would be valid.
      const { offset } = await epochs.get(clientId)
      const client = await registry.find(clientId)
      if (!client || offset === 0) return client
      const withOffset = { ...client, epoch: client.epoch + offset }
      originals.set(withOffset, client)
      return withOffset
    },

    verifySecret: (client, secret) => registry.verifySecret(originals.get(client) ?? client, secret),
  }
}
