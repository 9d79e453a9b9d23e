import type { Logger } from '../host/logger.ts'
import type { Store } from '../store/contract.ts'
import { createLru } from '../async/lru.ts'
import type { StoredClient, StoreRegistry } from './store-registry.ts'

/** The clients in the store, of which this process remembers those that it looked up last. */
export interface ClientCache extends StoreRegistry {
  /**
   * Looks a client up anew that `find` answered and that is known to be outdated: in the store, unless somebody
   * has done so since.
   */
  refetch(outdated: StoredClient): Promise<StoredClient | undefined>
  /**
   * Drops what is remembered of a client: here before this returns, in the other processes when they hear of it. To be
   * called after each write of its record, also after one that failed: it may have been applied.
   *
   * @returns what settles when the others have been told. It never rejects: where they cannot be told, they find out
   *   by themselves within seconds
   */
  changed(clientId: string): Promise<void>
  /**
   * Begins to listen to what others change. Nothing is remembered before that, nor after it was ended.
   *
   * @returns a function that ends it
   * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`
   */
  follow(): Promise<() => Promise<void>>
}

/** Its messages are the ids of clients that were changed. */
const CHANNEL = 'clients'

/** Clients that are remembered; beyond that each look-up of one more is a read of the store, as it is without. */
const MOST = 10_000

/**
 * Milliseconds after which a client is read anew. So late are others at most to see a change where its message was
 * lost and nobody noticed: the process ended before it was sent, or the database dropped it.
 */
const MAX_AGE = 10_000

interface Remembered {
  readonly client: StoredClient
  /** When the read began. */
  readonly readAt: number
}

/**
 * Remembers clients that were found. Never that there is none of an id: whoever is created in another process is known
 * at once, and strangers cannot fill the memory with ids that they invent.
 *
 * A change is seen here when it settles, and in other processes when its message comes, within a moment. What counts
 * for tokens does not hang on that: those that are issued by an outdated record carry its epoch, so that all that was
 * taken from the client since is dead on arrival.
 *
 * @param parts.registry reads the store
 * @param parts.maxAgeMs milliseconds. @default 10 seconds
 * @param parts.most clients that are remembered at once. @default 10000
 * @param parts.now milliseconds of a clock that nobody puts back
 */
export function createClientCache(parts: {
  readonly store: Pick<Store, 'publish' | 'subscribe'>
  readonly registry: StoreRegistry
  readonly logger: Logger
  readonly maxAgeMs?: number | undefined
  readonly most?: number | undefined
  readonly now?: (() => number) | undefined
}): ClientCache {
  const { store, registry, logger } = parts
  const { maxAgeMs = MAX_AGE, most = MOST, now = () => performance.now() } = parts
  const remembered = createLru<string, Remembered>(most)
  /** Reads that are under way, for all who ask meanwhile. One that is dropped is not remembered, nor joined. */
  const reading = new Map<string, Promise<StoredClient | undefined>>()
  let followed = 0

  function recall(clientId: string): StoredClient | undefined {
    const known = remembered.get(clientId)
    if (known && now() - known.readAt < maxAgeMs) return known.client
    remembered.delete(clientId)
    return undefined
  }

  async function readNow(clientId: string, isWanted: () => boolean): Promise<StoredClient | undefined> {
    const readAt = now()
    try {
      const client = await registry.find(clientId)
      if (client && isWanted()) remembered.set(clientId, { client: Object.freeze(client), readAt })
      return client
    } finally {
      if (isWanted()) reading.delete(clientId)
    }
  }

  function read(clientId: string): Promise<StoredClient | undefined> {
    const joined = reading.get(clientId)
    if (joined) return joined
    const mine: Promise<StoredClient | undefined> = readNow(clientId, () => reading.get(clientId) === mine)
    reading.set(clientId, mine)
    return mine
  }

  function drop(clientId: string): void {
    remembered.delete(clientId)
    reading.delete(clientId)
  }

  function dropAll(): void {
    remembered.clear()
    reading.clear()
  }

  async function find(clientId: string): Promise<StoredClient | undefined> {
    if (followed === 0) return registry.find(clientId)
    return recall(clientId) ?? read(clientId)
  }

  return {
    find,

    refetch(outdated) {
      const { clientId } = outdated
      // Many notice it at once: what the first of them has read is good for all.
      if (recall(clientId) === outdated) drop(clientId)
      return find(clientId)
    },

    verifySecret: (client, secret) => registry.verifySecret(client, secret),

    async changed(clientId) {
      drop(clientId)
      await store.publish(CHANNEL, clientId).catch((error: unknown) => {
        logger.warn(
          { err: error, clientId },
          'other processes see the change of a client only when they read it anew, within seconds',
        )
      })
    },

    async follow() {
      const leave = await store.subscribe(CHANNEL, drop, dropAll)
      followed += 1
      return async () => {
        followed -= 1
        dropAll()
        await leave()
      }
    },
  }
}
