import type { Logger } from '../host/logger.ts'
import type { Store } from '../store/contract.ts'
import { createLru } from '../async/lru.ts'
import { createClientRegistry, type StoredClient } from './client-registry.ts'

/** The channel for changes of clients. Each message is the id of a changed client. */
const CLIENTS_CHANNEL = 'clients'

/** What a client cache needs. */
export interface ClientCacheParts {
  readonly store: Store
  readonly logger: Logger
  /**
   * Milliseconds after which a cached client is read again. Other processes see a change after this time at the
   * latest, even if the message about the change is lost. A message is lost if a process ends between its change and
   * the message, or if the database loses the message. @default 10000
   */
  readonly maxAgeMs?: number | undefined
  /** Maximum number of cached clients. @default 10000 */
  readonly maxClients?: number | undefined
  /** A clock that never goes back, in milliseconds. @default `performance.now` */
  readonly now?: (() => number) | undefined
}

/**
 * Caches the clients that were found. A missing client is never cached. So a client that another process
 * creates is found at once, and attackers cannot fill the memory with invented ids.
 *
 * An outdated cache never restores access that a client has lost. Tokens that are issued from an outdated record carry
 * the epoch of that record. If the client has lost access in the meantime, these tokens are rejected.
 */
export function createClientCache({
  store,
  logger,
  maxAgeMs = 10_000,
  maxClients = 10_000,
  now = () => performance.now(),
}: ClientCacheParts) {
  const registry = createClientRegistry(store)
  /** The cached clients by client id, each with the time when its read began. */
  const clients = createLru<string, { readonly client: StoredClient; readonly readAt: number }>(maxClients)
  /**
   * Pending reads by client id. Concurrent callers share a read. The result of a read is cached only if the
   * read is still in this map.
   */
  const reads = new Map<string, Promise<StoredClient | undefined>>()
  /** The number of active subscriptions to changes. While this number is 0, clients are not cached. */
  let subscriptions = 0

  async function find(clientId: string): Promise<StoredClient | undefined> {
    if (subscriptions === 0) return registry.find(clientId)
    return cached(clientId) ?? reads.get(clientId) ?? read(clientId)
  }

  function cached(clientId: string): StoredClient | undefined {
    const found = clients.get(clientId)
    if (found && now() - found.readAt < maxAgeMs) return found.client
    clients.delete(clientId)
    return undefined
  }

  function read(clientId: string): Promise<StoredClient | undefined> {
    const readAt = now()
    const isCurrent = () => reads.get(clientId) === pending
    const pending: Promise<StoredClient | undefined> = registry
      .find(clientId)
      .then((client) => {
        if (client && isCurrent()) clients.set(clientId, { client: Object.freeze(client), readAt })
        return client
      })
      .finally(() => isCurrent() && reads.delete(clientId))
    reads.set(clientId, pending)
    return pending
  }

  function forget(clientId: string): void {
    clients.delete(clientId)
    reads.delete(clientId)
  }

  function clear(): void {
    clients.clear()
    reads.clear()
  }

  return {
    find,

    /**
     * Reads an outdated client again, unless another caller has already read it again.
     *
     * @param outdated a result of `find`
     */
    async refetch(outdated: StoredClient): Promise<StoredClient | undefined> {
      const { clientId } = outdated
      // Many callers may notice the same outdated client at once. Only the first caller deletes it, and all
      // callers share one read.
      if (cached(clientId) === outdated) forget(clientId)
      return find(clientId)
    },

    /**
     * Deletes a client from this cache, and makes the other processes delete it from their caches. Call this method
     * after each write of the record. Also call it after a failed write, because a failed write may have been applied.
     *
     * @returns a promise that never rejects. It resolves when the message is published, or cannot be
     *   published. A process that does not receive the message reads the client again within `maxAgeMs`
     */
    async changed(clientId: string): Promise<void> {
      forget(clientId)
      await store.publish(CLIENTS_CHANNEL, clientId).catch((error: unknown) => {
        logger.warn(
          { err: error, clientId },
          'other processes could not be notified of the change of a client; they will read the client again within seconds',
        )
      })
    },

    /**
     * Subscribes to the changes that other processes make. Clients are cached only while a subscription is
     * active.
     *
     * @returns a function that ends the subscription
     * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`
     */
    async follow(): Promise<() => Promise<void>> {
      const unsubscribe = await store.subscribe(CLIENTS_CHANNEL, forget, clear)
      subscriptions += 1
      return async () => {
        subscriptions -= 1
        clear()
        await unsubscribe()
      }
    },
  }
}

/** The clients in the store, with a cache of the clients that this process used last. */
export type ClientCache = ReturnType<typeof createClientCache>
