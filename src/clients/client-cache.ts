import type { Logger } from '../host/logger.ts'
import type { Store } from '../store/contract.ts'
import { createLru, type Lru } from '../async/lru.ts'
import { createClientRegistry, type ClientRegistry, type StoredClient } from './client-registry.ts'

/** The channel for changes of clients. Each message is the id of a changed client. */
const CLIENTS_CHANNEL = 'clients'

/** Maximum number of cached clients. */
const MAX_CLIENTS = 10_000

/**
 * Milliseconds after which a cached client is read again. If a process does not receive the message of a
 * change, it sees the change after this time at the latest. The message does not arrive if the process that
 * made the change ends before it publishes the message, or if the database loses the message.
 */
const MAX_AGE_MS = 10_000

interface CachedClient {
  readonly client: StoredClient
  /** When the read of this client began, in milliseconds of the clock `now`. */
  readonly readAt: number
}

/** What a client cache needs. */
export interface ClientCacheParts {
  readonly store: Store
  readonly logger: Logger
  /** Maximum age of a cached client, in milliseconds. @default 10000 */
  readonly maxAgeMs?: number | undefined
  /** Maximum number of cached clients. @default 10000 */
  readonly maxClients?: number | undefined
  /** A clock that never goes back, in milliseconds. @default `performance.now` */
  readonly now?: (() => number) | undefined
}

/** The state of the cache of one process. */
interface CacheState {
  /** Reads clients from the store, without a cache. */
  readonly registry: ClientRegistry
  readonly maxAgeMs: number
  readonly now: () => number
  readonly clients: Lru<string, CachedClient>
  /**
   * Pending reads by client id. Concurrent callers share a read. When a read is deleted from this map, later
   * callers do not share it, and its result is not cached.
   */
  readonly reads: Map<string, Promise<StoredClient | undefined>>
  /** The number of active subscriptions to changes. While this number is 0, clients are not cached. */
  subscriptions: number
}

/**
 * Caches the clients that were found. A missing client is never cached. So a client that another process
 * creates is found at once, and attackers cannot fill the memory with invented ids.
 *
 * An outdated cache never restores access that a client has lost. Tokens that are issued from an outdated
 * record carry the epoch of that record. If the client has lost access since then, these tokens are rejected.
 */
export function createClientCache({
  store,
  logger,
  maxAgeMs = MAX_AGE_MS,
  maxClients = MAX_CLIENTS,
  now = () => performance.now(),
}: ClientCacheParts) {
  const cache: CacheState = {
    registry: createClientRegistry(store),
    maxAgeMs,
    now,
    clients: createLru(maxClients),
    reads: new Map(),
    subscriptions: 0,
  }

  return {
    find: (clientId: string) => find(cache, clientId),

    /**
     * Reads an outdated client again, unless another caller has already read it again.
     *
     * @param outdated a result of `find`
     */
    async refetch(outdated: StoredClient): Promise<StoredClient | undefined> {
      const { clientId } = outdated
      // Many callers may notice the same outdated client at once. Only the first caller deletes it, and all
      // callers share one read.
      if (cachedClient(cache, clientId) === outdated) deleteClient(cache, clientId)
      return find(cache, clientId)
    },

    /**
     * Deletes a client from this cache, and notifies the other processes, which delete it from their caches.
     * Call this method after each write of the record. Also call it after a failed write, because a failed
     * write may have been applied.
     *
     * @returns a promise that never rejects. It resolves when the message is published, or cannot be
     *   published. A process that does not receive the message reads the client again within `maxAgeMs`
     */
    async changed(clientId: string): Promise<void> {
      deleteClient(cache, clientId)
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
      const unsubscribe = await store.subscribe(
        CLIENTS_CHANNEL,
        (clientId) => deleteClient(cache, clientId),
        () => clear(cache),
      )
      cache.subscriptions += 1
      return async () => {
        cache.subscriptions -= 1
        clear(cache)
        await unsubscribe()
      }
    },
  }
}

/** The clients in the store, with a cache of the clients that this process used last. */
export type ClientCache = ReturnType<typeof createClientCache>

async function find(cache: CacheState, clientId: string): Promise<StoredClient | undefined> {
  if (cache.subscriptions === 0) return cache.registry.find(clientId)
  return cachedClient(cache, clientId) ?? read(cache, clientId)
}

function cachedClient({ clients, maxAgeMs, now }: CacheState, clientId: string): StoredClient | undefined {
  const cached = clients.get(clientId)
  if (cached && now() - cached.readAt < maxAgeMs) return cached.client
  clients.delete(clientId)
  return undefined
}

function read(cache: CacheState, clientId: string): Promise<StoredClient | undefined> {
  const pending = cache.reads.get(clientId)
  if (pending) return pending
  const own: Promise<StoredClient | undefined> = readAndCache(
    cache,
    clientId,
    () => cache.reads.get(clientId) === own,
  )
  cache.reads.set(clientId, own)
  return own
}

async function readAndCache(
  { registry, clients, reads, now }: CacheState,
  clientId: string,
  isCurrent: () => boolean,
): Promise<StoredClient | undefined> {
  const readAt = now()
  try {
    const client = await registry.find(clientId)
    if (client && isCurrent()) clients.set(clientId, { client: Object.freeze(client), readAt })
    return client
  } finally {
    if (isCurrent()) reads.delete(clientId)
  }
}

function deleteClient({ clients, reads }: CacheState, clientId: string): void {
  clients.delete(clientId)
  reads.delete(clientId)
}

function clear({ clients, reads }: CacheState): void {
  clients.clear()
  reads.clear()
}
