import { GatehouseError } from '../src/errors.ts'
import type { Store } from '../src/store/contract.ts'
import type { RedisClient, RedisCommand } from './redis/client.ts'
import { createDurableWrites } from './redis/durable-writes.ts'
import { storeFailure } from './redis/errors.ts'
import { inspectRedis } from './redis/inspect.ts'
import { countLosses } from './redis/connection-losses.ts'
import { requireOptions, type RedisStoreOptions } from './redis/options.ts'
import { isMisdirected } from './redis/redirection.ts'
import { createSubscriptions } from './redis/subscriptions.ts'
import { carryOut, writes, type Write } from './redis/write-commands.ts'

export type { RedisClient, RedisConnection } from './redis/client.ts'
export type { Durability, RedisStoreOptions } from './redis/options.ts'

/**
 * Keeps everything in Redis or Valkey, for any number of processes.
 *
 * The client is the host's: a `Redis` or `Cluster` of ioredis 5 or 6, which stays open when the store is
 * closed, and whose `error` events the host listens to. It works with any settings; these make a service
 * answer quickly while Redis is away, and soon after it is back:
 *
 * ```ts
 * const client = new Redis(url, {
 *   enableOfflineQueue: false,    // fail now instead of queueing, so that nothing is written long after its
 *   maxRetriesPerRequest: 0,      // request was answered with 503; nor sent again when its answer was lost
 *   retryStrategy: (attempt) => Math.min(attempt * 50, 500),
 * })
 * client.on('error', (error) => logger.warn({ error }, 'redis'))
 * ```
 *
 * Redis must not evict (`maxmemory-policy noeviction`). Only single keys and single commands are used: no `KEYS`,
 * `SCAN`, `FLUSHALL`, and no blocking command but `WAIT`. For messages the store opens one connection more, when it
 * is first needed, and with `durability` one to each master for the writes that wait, so that they hold up nothing
 * else.
 *
 * With `durability: { replicas, timeoutMs }` the store has `durable`: its writes settle when `WAIT` says that so many
 * replicas have them. Redis then promises that a confirmed write outlives its master if one of those replicas is
 * promoted, and it promotes the one that has most. It does not promise consensus: what only a minority has heard of in
 * a partition, what a replica had that restarts empty, and what all servers lose at once is gone. A write that too few
 * replicas have confirmed is rejected, and may have been applied nevertheless.
 *
 * @throws {GatehouseError} `ERR_OPTIONS` if what it is handed cannot work: no client, one that reads from replicas,
 *   unknown options; from every method: `ERR_STORE_UNAVAILABLE` if Redis cannot be reached or is in no state to answer,
 *   `ERR_STORE_CORRUPT` if a key is taken by something else, `ERR_CLOSED` after `close()`
 */
export function redisStore(client: RedisClient, options: RedisStoreOptions = {}): Store {
  requireOptions(client, options)
  const { keyPrefix = 'gatehouse:', durability } = options
  const { db = 0, keyPrefix: clientPrefix = '' } = client.options ?? {}
  const key = (name: string) => keyPrefix + name
  // Channels know neither the numbered databases nor the client's own prefix.
  const channel = (name: string) => `${db}:${clientPrefix}${keyPrefix}${name}`
  const subscriptions = createSubscriptions(client)
  const losses = countLosses(client)
  const durableWrites = durability && createDurableWrites(client, durability)
  let closed = false

  async function run<T>(ask: () => Promise<T>): Promise<T> {
    if (closed) throw new GatehouseError('ERR_CLOSED', 'the Redis store has been closed')
    try {
      return await ask()
    } catch (error) {
      throw storeFailure(error, client)
    }
  }

  async function send(command: RedisCommand): Promise<unknown> {
    try {
      return await client.call(...command)
    } catch (error) {
      // What ioredis bundles (`enableAutoPipelining`) does not follow redirections; a pipeline of one does.
      if (!client.isCluster || !isMisdirected(error)) throw error
      const [[failure, reply] = [error as Error, undefined]] = (await client.pipeline([command]).exec()) ?? []
      if (failure) throw failure
      return reply
    }
  }

  /**
   * Writes without waiting for replicas. ioredis sends a command again when the connection is lost before the
   * answer has come: then "no" may mean that the first one did it, and to say so would be a lie that burns an
   * authorization code or locks a name for ever.
   */
  const write = (one: Write) =>
    run(async () => {
      const lostBefore = losses.count()
      const reply = await carryOut(one, send)
      if (one.isDone(reply) || losses.count() === lostBefore) return one.isDone(reply)
      throw new GatehouseError(
        'ERR_STORE_UNAVAILABLE',
        'the connection to Redis was lost during a write; whether it was applied is not known',
      )
    })

  const get = async (name: string) => ((await send(['get', key(name)])) as string | null) ?? undefined

  const store: Store = {
    get: (name) => run(() => get(name)),

    // Not MGET, whose keys would have to share a slot of a cluster; all are sent before the first answer.
    getMany: (names) => run(() => Promise.all(names.map(get))),

    ...writesBy(key, write),

    // All members have the score 0, and Redis orders them by their bytes.
    range: (index, { after, limit }) =>
      run(async () => {
        const from = after === undefined ? '-' : `(${after}`
        return (await send(['zrangebylex', key(index), from, '+', 'LIMIT', 0, limit])) as string[]
      }),

    publish: (name, message) =>
      run(async () => {
        await client.call('publish', channel(name), message)
      }),

    subscribe: (name, listener, missed) =>
      run(() => subscriptions.subscribe(channel(name), listener, missed)),

    ping: () =>
      run(async () => {
        await client.call('ping')
      }),

    inspect: () => run(() => inspectRedis(client, { replicas: durability?.replicas })),

    async close() {
      if (closed) return
      closed = true
      losses.stop()
      subscriptions.close()
      durableWrites?.close()
    },
  }
  if (!durableWrites) return store
  return { ...store, durable: { ...store, ...writesBy(key, (one) => run(() => durableWrites.write(one))) } }
}

/** The methods of a store that write, by what carries a write out and tells whether it was done. */
function writesBy(key: (name: string) => string, write: (one: Write) => Promise<boolean>) {
  return {
    async set(name, value, ttl) {
      await write(writes.set(key(name), value, ttl))
    },
    create: (name, value, ttl) => write(writes.create(key(name), value, ttl)),
    replace: (name, expected, value, ttl) => write(writes.replace(key(name), expected, value, ttl)),
    delete: (name) => write(writes.delete(key(name))),
    async add(index, member, ttl) {
      await write(writes.add(key(index), member, ttl))
    },
    async remove(index, member) {
      await write(writes.remove(key(index), member))
    },
  } satisfies Partial<Store>
}
