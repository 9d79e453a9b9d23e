import { createCollection, type Collection } from '../store/collection.ts'
import { confirmDurable } from '../store/confirm-durable.ts'
import type { Store } from '../store/contract.ts'
import { CorruptRecord } from '../store/corrupt-record.ts'
import { clientRecordRule } from './client-schema.ts'
import type { WithOutbox } from '../audit/outbox.ts'
import type { Client } from './client.ts'
import { identityOf, keysOf } from './jwk-set.ts'
import { isPublicClient } from './public-applications.ts'
import { describeSecrets, hasSecretHash, type StoredSecret } from './stored-secrets.ts'

/**
 * A revocation of only some scopes. Tokens with an epoch below `since` are all revoked, whatever scopes they
 * carry. Tokens with an epoch from `since` up to just below the client's current epoch are revoked only if
 * they carry one of `scopes`.
 */
export interface PartialRevocation {
  readonly since: number
  readonly scopes: readonly string[]
}

/**
 * A stored API key or application. The secrets are kept apart from the public fields in `client`, so that
 * returning `client` never exposes a hash.
 */
export interface ClientRecord<C extends Client = Client> extends WithOutbox {
  /** The client without `lastUsedAt`, and without the fields that `clientOf` adds. `lastUsedAt` has its own record. */
  readonly client: C
  /** The hashed secrets, newest first; empty after `reportCompromised`. */
  readonly secrets: readonly StoredSecret[]
  /**
   * The position of the client in lists: its time of creation in milliseconds since the epoch. If a process
   * creates several clients in the same millisecond, the later clients get a later time.
   */
  readonly listedAt: number
  /** The partial revocation of the current epoch; undefined if all tokens with a lower epoch are revoked. */
  readonly partialRevocations?: PartialRevocation | undefined
  /**
   * The last notice that was given for the present expiry, or that was already due when this expiry was set. Undefined
   * if there was none.
   */
  readonly noticed?: number | undefined
}

/**
 * The permanent record of a deleted client. It contains no personal data. It reserves the client id, because
 * a new client with the same id would get the grants and refresh tokens of the deleted client.
 */
export interface DeletedClient extends WithOutbox {
  readonly deleted: true
  readonly kind: Client['kind']
  /** An epoch above the `access_epoch` of every token of the client. */
  readonly epoch: number
  /** Epoch seconds. */
  readonly deletedAt: number
}

/**
 * The name of a permanent index of the ids of deleted clients. An id is listed before its client is deleted. So if the
 * deletion failed, the index also lists a client that still exists.
 */
export const DELETED_CLIENTS = 'clients:deleted'

/** A function that is called after a record was written, or may have been written. It never rejects. */
export type ClientChanged = (clientId: string) => Promise<void>

/**
 * The records of the clients in the store.
 *
 * @param changed called after each change and deletion. A successful change resolves only after this call
 */
export function clientRecords<C extends Client>(store: Store, changed: ClientChanged = async () => {}) {
  const collection = storedClients<C>(store)

  /**
   * Makes a change, then calls `changed`, and resolves after both. `changed` is also called after a failure,
   * because the change may have been applied. The error is then thrown without waiting for `changed`.
   */
  async function notifyAfter<T>(clientId: string, change: () => Promise<T>): Promise<T> {
    const result = await change().catch((error: unknown) => {
      void changed(clientId)
      throw error
    })
    await changed(clientId)
    return result
  }

  return {
    /** The key of a record in the store. */
    key: collection.key,
    /** The record; undefined if it is absent, or if the client was deleted. */
    get: async (clientId: string) => unlessDeleted(await collection.get(clientId)),
    /** The kind of a deleted client; undefined if no client of this id was deleted. */
    async deletedKind(clientId: string): Promise<Client['kind'] | undefined> {
      const stored = await collection.get(clientId)
      return stored && isDeleted(stored) ? stored.kind : undefined
    },
    /** Several records, in the order of the ids. */
    async getEach(clientIds: readonly string[]): Promise<(ClientRecord<C> | CorruptRecord | undefined)[]> {
      const found = await collection.getEach(clientIds)
      return found.map((stored) => (stored instanceof CorruptRecord ? stored : unlessDeleted(stored)))
    },
    /** Stores a new record; false if a client has the id, or a deleted client had it. */
    create: collection.create,
    /**
     * Changes a record. No concurrent change is lost.
     *
     * @param change pure; returns undefined if there is nothing to change
     * @returns the current record; undefined if it is absent, or if the client was deleted
     */
    async update(
      clientId: string,
      change: (record: ClientRecord<C>) => ClientRecord<C> | undefined,
    ): Promise<ClientRecord<C> | undefined> {
      const applied = (stored: ClientRecord<C> | DeletedClient) =>
        isDeleted(stored) ? undefined : (change(stored) ?? confirmDurable(stored))
      return unlessDeleted(await notifyAfter(clientId, () => collection.update(clientId, applied)))
    },
    /**
     * Deletes a client permanently, and keeps its id reserved. Of several concurrent calls, exactly one
     * returns the record. If the client was deleted before, the reservation is written again, because the
     * previous write may not have been confirmed as durable.
     *
     * @param kind the kind of the client; a client of the other kind counts as absent
     * @param complete adds the audit entry to the record of the deleted client; throws if the client must not be
     *   deleted
     * @returns the record before the deletion; undefined if it is absent, or if the client was deleted before
     */
    async delete(
      clientId: string,
      kind: C['kind'],
      complete: (deleted: DeletedClient, before: ClientRecord<C>) => DeletedClient,
    ): Promise<ClientRecord<C> | undefined> {
      const found = await collection.get(clientId)
      if (!found || kindOf(found) !== kind) return undefined
      // The id is listed before the deletion, so that every deleted client is listed.
      await store.add(DELETED_CLIENTS, clientId)
      let before: ClientRecord<C> | undefined
      await notifyAfter(clientId, () =>
        collection.update(clientId, (stored) => {
          before = unlessDeleted(stored)
          if (!before) return confirmDurable(stored)
          const { client, audit } = before
          const deletedAt = Math.floor(Date.now() / 1000)
          const deleted = { deleted: true, kind, epoch: client.epoch + 1, deletedAt } as const
          return complete({ ...deleted, ...(audit && { audit }) }, before)
        }),
      )
      return before
    },
  }
}

/**
 * All clients by client id. Both kinds share one collection, so a client id is unique, and one read finds the
 * client.
 */
export type ClientRecords<C extends Client> = ReturnType<typeof clientRecords<C>>

/** The records of all clients, including deleted clients. */
export function storedClients<C extends Client>(store: Store): Collection<ClientRecord<C> | DeletedClient> {
  return createCollection(store, { name: 'client', version: 1, fields: clientRecordRule })
}

function unlessDeleted<C extends Client>(
  stored: ClientRecord<C> | DeletedClient | undefined,
): ClientRecord<C> | undefined {
  return stored === undefined || isDeleted(stored) ? undefined : stored
}

function kindOf(stored: ClientRecord | DeletedClient): Client['kind'] {
  return isDeleted(stored) ? stored.kind : stored.client.kind
}

/** The client of a record, with the information about its secrets that people may see. */
export function clientOf<C extends Client>({ client, secrets }: ClientRecord<C>): C {
  return { ...client, ...describeSecrets(secrets, needsSecret(client)) }
}

/** Whether a client authenticates with a secret only: it is not a public application, and it has no key. */
export function needsSecret(client: Client): boolean {
  return !isPublicClient(client) && keysOf(client).length === 0
}

/** Whether a client has a valid secret, or a key, with this hash or identity. */
export function hasCredential(
  { client, secrets }: Pick<ClientRecord, 'client' | 'secrets'>,
  hash: string,
): boolean {
  return hasSecretHash(secrets, hash) || keysOf(client).some((key) => identityOf(key) === hash)
}

/** The hashes of all secrets of a client, and the identities of its keys. */
export function credentialsOf({ client, secrets }: Pick<ClientRecord, 'client' | 'secrets'>): string[] {
  return [...secrets.map(({ hash }) => hash), ...keysOf(client).map(identityOf)]
}

/** Whether the client was deleted. */
export function isDeleted(stored: ClientRecord | DeletedClient): stored is DeletedClient {
  return 'deleted' in stored
}
