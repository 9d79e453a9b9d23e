import type { Logger } from '../host/logger.ts'
import type { Store } from '../store/contract.ts'
import { createLru, type Lru } from '../async/lru.ts'
import type { StoredClient, StoreRegistry } from './store-registry.ts'

/** The messages are the ids of changed clients. */
const CLIENTS_CHANNEL = 'clients'

/** The number of cached clients. */
const MAX_CLIENTS = 10_000

/**
 * Milliseconds after which a cached client is read again. If the message of a change was lost, other processes see the
 * change after this time at the latest. A message is lost if its process ends too early, or if the database loses it.
 */
const MAX_AGE_MS = 10_000

interface CachedClient {
  readonly client: StoredClient
  /** When the read of this client began. */
  readonly readAt: number
}

/** What a client cache needs. */
export interface ClientCacheParts {
  readonly store: Pick<Store, 'publish' | 'subscribe'>
  /** Reads the store. */
  readonly registry: Pick<StoreRegistry, 'find'>
  readonly logger: Logger
  /** Milliseconds. @default 10 seconds */
  readonly maxAgeMs?: number | undefined
  /** @default 10000 */
  readonly maxClients?: number | undefined
  /** Milliseconds of a clock that never goes back. */
  readonly now?: (() => number) | undefined
}

/** The state of the cache of one process. */
interface CacheState {
  readonly registry: Pick<StoreRegistry, 'find'>
  readonly maxAgeMs: number
  readonly now: () => number
  readonly clients: Lru<string, CachedClient>
  /** Pending reads, which concurrent callers share. A read that is deleted here is not shared any more, and not cached. */
  readonly reads: Map<string, Promise<StoredClient | undefined>>
  /** The number of subscriptions. */
  followers: number
}

/**
 * Caches clients that were found. A missing client is never cached: a client that another process creates is found at
 * once, and attackers cannot fill the memory with invented ids.
 *
 * Tokens do not depend on a fresh cache: tokens that are issued from an outdated record carry its epoch, so they are
 * rejected if the client lost access since.
 */
export function createClientCache({
  store,
  registry,
  logger,
  maxAgeMs = MAX_AGE_MS,
  maxClients = MAX_CLIENTS,
  now = () => performance.now(),
}: ClientCacheParts) {
  const cache: CacheState = {
    registry,
    maxAgeMs,
    now,
    clients: createLru(maxClients),
    reads: new Map(),
    followers: 0,
  }

  return {
    find: (clientId: string) => find(cache, clientId),

    /** Reads an outdated client again, unless another caller has already done so. @param outdated a result of `find` */
    async refetch(outdated: StoredClient): Promise<StoredClient | undefined> {
      const { clientId } = outdated
      // Many callers may notice the outdated client at once. They share the first read.
      if (cachedClient(cache, clientId) === outdated) deleteClient(cache, clientId)
      return find(cache, clientId)
    },

    /**
     * Deletes a client from the caches: from this cache at once, from those of other processes when they are notified. Call
     * it after each write of the record, even after a failed write, which may have been applied.
     *
     * @returns a promise that settles when the other processes are notified, and never rejects. Processes that cannot be
     *   notified read the client again within seconds
     */
    async changed(clientId: string): Promise<void> {
      deleteClient(cache, clientId)
      await store.publish(CLIENTS_CHANNEL, clientId).catch((error: unknown) => {
        logger.warn(
          { err: error, clientId },
          'other processes were not notified of the change of a client, and read it again within seconds',
        )
      })
    },

    /**
     * Subscribes to the changes of other processes. Clients are cached only while a subscription is active.
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
      cache.followers += 1
      return async () => {
        cache.followers -= 1
        clear(cache)
        await unsubscribe()
      }
    },
  }
}

/** The clients in the store, with a cache of those that this process used last. */
export type ClientCache = ReturnType<typeof createClientCache>

async function find(cache: CacheState, clientId: string): Promise<StoredClient | undefined> {
  if (cache.followers === 0) return cache.registry.find(clientId)
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
