import { createCollection, type Collection } from '../store/collection.ts'
import type { Store } from '../store/contract.ts'
import { countRule, type Fields } from '../validation/rules.ts'
import type { ClientRegistry } from './client-registry.ts'
import { partialRevocationsRule } from './client-schema.ts'
import type { Client } from './client.ts'
import type { PartialRevocation } from './client-record.ts'

/**
 * The record that this library stores for a client in the host's tables. Revoking tokens changes this record,
 * and leaves the host's rows unchanged.
 */
export interface HostEpoch {
  /** The number that is added to the `epoch` of the host's row. */
  readonly offset: number
  /**
   * The partial revocation. Its `since` is an epoch that tokens carry: the epoch of the row plus the offset.
   */
  readonly partialRevocations?: PartialRevocation | undefined
}

/** The name of a permanent index: the ids of the clients that may have an offset. */
export const CLIENTS_WITH_OFFSET = 'client-epochs'

/** The offsets in the store. */
export function storedOffsets(store: Store): Collection<HostEpoch> {
  return createCollection(store, { name: 'client-epoch', version: 1, fields: OFFSET })
}

const OFFSET: Fields = { offset: countRule, partialRevocations: partialRevocationsRule }

const NONE: HostEpoch = { offset: 0 }

/**
 * Creates the functions that read and raise the offsets. Offsets are kept permanently, because the epoch of a
 * client must never fall.
 */
export function createHostEpochs(store: Store) {
  const offsets = storedOffsets(store)

  return {
    get: async (clientId: string) => (await offsets.get(clientId)) ?? NONE,

    /**
     * Raises the offset by one.
     *
     * @param partial returns the partial revocation to store; omit `partial` to revoke all tokens
     */
    async raise(clientId: string, partial?: (before: HostEpoch) => PartialRevocation): Promise<void> {
      const raised = (before: HostEpoch): HostEpoch => ({
        offset: before.offset + 1,
        partialRevocations: partial?.(before),
      })
      // The client id is added to the index first, so that every offset is listed.
      await store.add(CLIENTS_WITH_OFFSET, clientId)
      if (await offsets.update(clientId, raised)) return
      if (await offsets.create(clientId, raised(NONE))) return
      // Another process has created the record between the two calls, so this process raises the offset in
      // that record.
      await offsets.update(clientId, raised)
    },
  }
}

/** The epoch offsets of clients in the host's tables. A client has no offset until its tokens are revoked. */
export type HostEpochs = ReturnType<typeof createHostEpochs>

/** The host's registry, with the epochs that tokens carry: the epoch of the row plus the offset. */
export function withEpochOffsets(registry: ClientRegistry, epochs: Pick<HostEpochs, 'get'>): ClientRegistry {
  // The `verifySecret` of the host's registry accepts only objects that its `find` returned. So the original
  // of each changed copy is kept.
  const originals = new WeakMap<Client, Client>()

  return {
    async find(clientId) {
      // The offset is read before the row. The host changes a row first and then revokes the tokens, which
      // raises the offset. So a request that reads the raised offset also reads the changed row. With the row
      // from before the change, the request could issue a valid token for access that the client has lost.
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
