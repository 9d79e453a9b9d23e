import { createCollection, type Collection } from '../store/collection.ts'
import { confirmDurable } from '../store/confirm-durable.ts'
import type { Store } from '../store/contract.ts'
import { CorruptRecord } from '../store/corrupt-record.ts'
import { clientRecordRule } from './client-schema.ts'
import type { Client } from './client.ts'
import type { StoredSecret } from './secrets.ts'

/**
 * What was taken from a client where it was not everything: of the tokens whose epoch is `since` or later, but
 * below the client's present one, those that carry one of `scopes`. What is older than `since` is dead anyway.
 */
export interface PartialRevocation {
  readonly since: number
  readonly scopes: readonly string[]
}

/**
 * An API key or application as it is stored. What the public may see stands apart from what it may not, so
 * that no forgotten field lets a hash out.
 */
export interface ClientRecord<C extends Client = Client> {
  /** Without `lastUsedAt`, which is kept on its own. */
  readonly client: C
  /** Newest first; none after `reportCompromised`. */
  readonly secrets: readonly StoredSecret[]
  /**
   * Its place in lists: when it was created, in milliseconds since the epoch, or a few later where others
   * were created in the same one.
   */
  readonly listedAt: number
  /** What the last changes of `epoch` took, where it was not everything. */
  readonly partialRevocations?: PartialRevocation | undefined
}

/**
 * What stays of a deleted client, for good: nothing about anybody, only that its client id is not free. Who got
 * the id anew would get what people granted to the client before, and its refresh tokens.
 */
export interface DeletedClient {
  readonly deleted: true
  readonly kind: Client['kind']
  /** Above every `access_epoch` that its tokens carry. */
  readonly epoch: number
  /** Epoch seconds. */
  readonly deletedAt: number
}

/** An index of the client ids of deleted clients, kept for good; of one or the other the client may still be there. */
export const DELETED_CLIENTS = 'clients:deleted'

/** All clients by client id: together, so that a client id is unique and one read finds it. */
export interface ClientRecords<C extends Client> {
  /** The record; undefined if there never was one, or if it was deleted. */
  get(clientId: string): Promise<ClientRecord<C> | undefined>
  /** Of which kind a client was that was deleted; undefined if none was. */
  deletedKind(clientId: string): Promise<Client['kind'] | undefined>
  /** The same as `get` of several, in their order; the others where one cannot be read. */
  getEach(clientIds: readonly string[]): Promise<(ClientRecord<C> | CorruptRecord | undefined)[]>
  /** Stores a new record; false if the id is taken, be it by a client that was deleted. */
  create(clientId: string, record: ClientRecord<C>): Promise<boolean>
  /**
   * Changes a record so that concurrent changes lose nothing.
   *
   * @param change pure; answers undefined where nothing is to change
   * @returns the record as it stands now, or undefined as in `get`
   */
  update(
    clientId: string,
    change: (record: ClientRecord<C>) => ClientRecord<C> | undefined,
  ): Promise<ClientRecord<C> | undefined>
  /**
   * Deletes a record for good; of concurrent calls one gets what was there. One that is deleted already is written and
   * told once more: whoever deleted it may have got no answer.
   *
   * @param check throws where a client of this kind is not to be deleted
   * @param now milliseconds since the epoch
   * @returns what was there, or undefined as in `get`
   */
  delete(
    clientId: string,
    check: (kind: Client['kind']) => void,
    now: number,
  ): Promise<ClientRecord<C> | undefined>
}

/** Told that a record was written, or may have been; settles when all has been done that follows, and never rejects. */
export type ClientChanged = (clientId: string) => Promise<void>

/**
 * The clients in the store.
 *
 * @param changed told after each change and deletion, before it settles
 */
export function clientRecords<C extends Client>(
  store: Store,
  changed: ClientChanged = async () => {},
): ClientRecords<C> {
  const collection = storedClients<C>(store)

  /** Makes a change. One that fails may have been applied all the same; whoever waits for that need not wait longer. */
  async function telling<T>(clientId: string, change: () => Promise<T>): Promise<T> {
    try {
      const result = await change()
      await changed(clientId)
      return result
    } catch (error) {
      void changed(clientId)
      throw error
    }
  }

  return {
    get: async (clientId) => living(await collection.get(clientId)),
    async deletedKind(clientId) {
      const stored = await collection.get(clientId)
      return stored && isDeleted(stored) ? stored.kind : undefined
    },
    async getEach(clientIds) {
      const found = await collection.getEach(clientIds)
      return found.map((stored) => (stored instanceof CorruptRecord ? stored : living(stored)))
    },
    create: (clientId, record) => collection.create(clientId, record),
    async update(clientId, change) {
      return telling(clientId, async () =>
        living(
          await collection.update(clientId, (stored) =>
            isDeleted(stored) ? undefined : (change(withDefaults(stored)) ?? confirmDurable(stored)),
          ),
        ),
      )
    },
    async delete(clientId, check, now) {
      const found = await collection.get(clientId)
      if (!found) return undefined
      check(kindOf(found))
      // Before it is gone, so that each that is gone is listed.
      await store.add(DELETED_CLIENTS, clientId)
      let before: ClientRecord<C> | undefined
      await telling(clientId, () =>
        collection.update(clientId, (stored) => {
          before = living(stored)
          check(kindOf(stored))
          if (!before) return confirmDurable(stored)
          const { kind, epoch } = before.client
          return { deleted: true, kind, epoch: epoch + 1, deletedAt: Math.floor(now / 1000) }
        }),
      )
      return before
    },
  }
}

/** All that is stored of clients, those that were deleted too. Pass a living one through `withDefaults`. */
export function storedClients<C extends Client>(store: Store): Collection<ClientRecord<C> | DeletedClient> {
  return createCollection(store, { name: 'client', version: 1, fields: clientRecordRule })
}

function living<C extends Client>(
  stored: ClientRecord<C> | DeletedClient | undefined,
): ClientRecord<C> | undefined {
  return stored === undefined || isDeleted(stored) ? undefined : withDefaults(stored)
}

function kindOf(stored: ClientRecord | DeletedClient): Client['kind'] {
  return isDeleted(stored) ? stored.kind : stored.client.kind
}

/** The record with defaults for fields that later versions added. */
export function withDefaults<C extends Client>(record: ClientRecord<C>): ClientRecord<C> {
  if (record.client.kind !== 'apiKey') return record
  return { ...record, client: { resourceServer: false, ...record.client } }
}

/** Whether nothing is left of a client but that its id is taken. */
export function isDeleted(stored: ClientRecord | DeletedClient): stored is DeletedClient {
  return 'deleted' in stored
}
