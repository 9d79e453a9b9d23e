import { createCollection, type Collection } from '../store/collection.ts'
import type { Store } from '../store/contract.ts'
import { countRule, type Fields, listOf, objectOf, optional, stringRule } from '../validation/rules.ts'
import type { HostRegistry } from './host-registry.ts'
import type { Client } from './client.ts'
import type { PartialRevocation } from './client-record.ts'

/** What is added to the `epoch` of a client whose row is the host's, so that its tokens can be revoked. */
export interface HostEpoch {
  readonly offset: number
  /** As with clients in the store, by the epoch that stands in tokens. */
  readonly partialRevocations?: PartialRevocation | undefined
}

/** The offsets of clients in tables of the host's; there is none of a client until it is needed. */
export interface HostEpochs {
  get(clientId: string): Promise<HostEpoch>
  /** Counts one up, and notes what was taken. @param inPart undefined if it was everything */
  raise(clientId: string, inPart?: (before: HostEpoch) => PartialRevocation): Promise<void>
}

/** An index of the client ids that may have an offset, kept for good. */
export const CLIENTS_WITH_OFFSET = 'client-epochs'

/** The offsets in the store. */
export function storedOffsets(store: Store): Collection<HostEpoch> {
  return createCollection(store, { name: 'client-epoch', version: 1, fields: OFFSET })
}

const OFFSET: Fields = {
  offset: countRule,
  partialRevocations: optional(objectOf({ since: countRule, scopes: listOf(stringRule) })),
}

const NONE: HostEpoch = { offset: 0 }

/** Offsets that are kept in the store, for good: as long as there is a client, its epoch must not fall. */
export function createHostEpochs(store: Store): HostEpochs {
  const offsets = storedOffsets(store)

  return {
    get: async (clientId) => (await offsets.get(clientId)) ?? NONE,

    async raise(clientId, inPart) {
      const raised = (before: HostEpoch): HostEpoch => ({
        offset: before.offset + 1,
        partialRevocations: inPart?.(before),
      })
      // First, so that each that there is is listed.
      await store.add(CLIENTS_WITH_OFFSET, clientId)
      if (await offsets.update(clientId, raised)) return
      if (await offsets.create(clientId, raised(NONE))) return
      // Somebody else was first.
      await offsets.update(clientId, raised)
    },
  }
}

/** The host's registry, with the epochs that stand in tokens: the host's, and what we have counted besides. */
export function withEpochOffsets(registry: HostRegistry, offsets: Pick<HostEpochs, 'get'>): HostRegistry {
  // The host's registry knows a client by the object that it answered.
  const uncounted = new WeakMap<Client, Client>()

  return {
    async find(clientId) {
      // Before the row, never after or beside it: a request that reads the offset after tokens were revoked must
      // not have read the row before that, or a token for what the client has lost would pass for a new one.
      const { offset } = await offsets.get(clientId)
      const client = await registry.find(clientId)
      if (!client || offset === 0) return client
      const counted = { ...client, epoch: client.epoch + offset }
      uncounted.set(counted, client)
      return counted
    },

    verifySecret: (client, secret) => registry.verifySecret(uncounted.get(client) ?? client, secret),
  }
}
