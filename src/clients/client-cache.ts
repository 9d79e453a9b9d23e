import type { Logger } from '../host/logger.ts'
import type { Store } from '../store/contract.ts'
import { createLru } from '../async/lru.ts'
import { createClientRegistry, type StoredClient } from './client-registry.ts'

/** Each message is the id of a changed client. */
const CLIENTS_CHANNEL = 'clients'

export interface ClientCacheParts {
  readonly store: Store
  readonly logger: Logger
  /** Milliseconds until a cached client is read again: a message about a change may be lost. @default 10000 */
  readonly maxAgeMs?: number | undefined
  /** Maximum number of cached clients. @default 10000 */
  readonly maxClients?: number | undefined
  /** A clock that never goes back, in milliseconds. @default `performance.now` */
  readonly now?: (() => number) | undefined
}

/**
 * Caches the clients that were found, for ten seconds. A missing client is never cached: another process may create it,
 * and attackers could fill the memory. An outdated cache never restores access: its tokens carry an old epoch, and are
 * rejected.
 */
export function createClientCache({
  store,
  logger,
  maxAgeMs = 10_000,
  maxClients = 10_000,
  now = () => performance.now(),
}: ClientCacheParts) {
  const registry = createClientRegistry(store)
  /** `found` is made once, because each promise costs a token request time. */
  const clients = createLru<string, { client: StoredClient; found: Promise<StoredClient>; readAt: number }>(
    maxClients,
  )
  /** Concurrent callers share a read. Its result is cached only if the read is still in this map. */
  const reads = new Map<string, Promise<StoredClient | undefined>>()
  /** While there is no subscription, clients are not cached. */
  let subscriptions = 0

  function find(clientId: string): Promise<StoredClient | undefined> {
    if (subscriptions === 0) return registry.find(clientId)
    return cached(clientId)?.found ?? reads.get(clientId) ?? read(clientId)
  }

  function cached(clientId: string) {
    const known = clients.get(clientId)
    if (known && now() - known.readAt < maxAgeMs) return known
    clients.delete(clientId)
    return undefined
  }

  function read(clientId: string): Promise<StoredClient | undefined> {
    const readAt = now()
    const isCurrent = () => reads.get(clientId) === pending
    const pending: Promise<StoredClient | undefined> = registry
      .find(clientId)
      .then((client) => {
        if (client && isCurrent())
          clients.set(clientId, { client: Object.freeze(client), found: Promise.resolve(client), readAt })
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
    cached,

    /** Reads an outdated client again. @param outdated a result of `find` */
    async refetch(outdated: StoredClient): Promise<StoredClient | undefined> {
      const { clientId } = outdated
      // Of many callers that notice it, only the first deletes the client, and all share one read.
      if (cached(clientId)?.client === outdated) forget(clientId)
      return find(clientId)
    },

    /** Call it after each write of the record, also a failed one, which may have been applied. Never rejects. */
    async changed(clientId: string): Promise<void> {
      forget(clientId)
      await store.publish(CLIENTS_CHANNEL, clientId).catch((error: unknown) => {
        logger.warn(
          { err: error, clientId },
          'other processes could not be notified of the change of a client; they will read the client again within seconds',
        )
      })
    },

    /** @returns a function that ends the subscription @throws {GatehouseError} `ERR_STORE_UNAVAILABLE` */
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

export type ClientCache = ReturnType<typeof createClientCache>
