import { storeClosed, storeUnavailable } from '../src/errors.ts'
import type { Store } from '../src/store/contract.ts'
import type { RedisClient, RedisCommand } from './redis/client.ts'
import { firstConnection } from './redis/connect.ts'
import { corkForThisTurn } from './redis/cork.ts'
import { createDurableWrites } from './redis/durable-writes.ts'
import { storeFailure } from './redis/errors.ts'
import { inspectRedis } from './redis/inspect.ts'
import { countConnectionLosses, type ConnectionLosses } from './redis/connection-losses.ts'
import { KEY_PREFIX, requireOptions, type RedisStoreOptions } from './redis/options.ts'
import { isMisdirected } from './redis/redirection.ts'
import { createSubscriptions } from './redis/subscriptions.ts'
import { execute, writes, type Write } from './redis/write-commands.ts'
import { countInSlots, getMany, requireRights } from './redis/write-scripts.ts'

export type { RedisClient, RedisConnection } from './redis/client.ts'
export type { Durability, RedisStoreOptions } from './redis/options.ts'

/**
 * Stores all data in Redis or Valkey, for any number of processes.
 *
 * The host creates the client, a `Redis` or `Cluster` of ioredis 5 or 6, and closes it: the client stays open
 * when the store is closed. The host has to listen to the `error` events of the client. The client must not
 * read from replicas; all other settings work. With the following settings, a service answers quickly while
 * Redis is unavailable, and recovers soon after Redis is available again:
 *
 * ```ts
 * const client = new Redis(url, {
 *   enableOfflineQueue: false,    // fail at once, so that no write is sent long after its request got 503
 *   maxRetriesPerRequest: 0,      // do not resend a command whose answer was lost
 *   retryStrategy: (attempt) => Math.min(attempt * 50, 500),
 * })
 * client.on('error', (error) => logger.warn({ error }, 'redis'))
 * ```
 *
 * Redis must not evict keys (`maxmemory-policy noeviction`). In a cluster, every command uses a single key. The store never
 * sends `KEYS`, `SCAN` or `FLUSHALL`, and `WAIT` is its only blocking command. With the first subscription,
 * the store opens a separate connection for messages. With `durability` it also opens a connection to each
 * master. The writes that wait for replicas use these connections, so that they do not delay other commands.
 *
 * With `durability: { replicas, timeoutMs }` the store has a `durable` view. A write of this view resolves
 * when `replicas` replicas have confirmed it (`WAIT`). A confirmed write survives the loss of its master if a
 * replica that has the write is promoted. Redis promotes the replica with the most complete data. Redis
 * replication is not a consensus protocol, so a confirmed write may still be lost. This happens if the write
 * reached only a minority in a partition, if the replica that has the write restarts empty, or if all servers
 * lose the write at once. If too few replicas confirm a write, it rejects, although it may have been applied.
 *
 * @throws {GatehouseError} `ERR_OPTIONS` if the arguments are invalid: no client, a client that reads from
 *   replicas, or unknown options. The methods of the store reject with `ERR_STORE_UNAVAILABLE` if Redis
 *   cannot be reached or cannot answer, `ERR_STORE_CORRUPT` if the value of a key has another Redis type,
 *   `ERR_CLOSED` after `close()`
 */
export function redisStore(client: RedisClient, options: RedisStoreOptions = {}): Store {
  requireOptions(client, options)
  const { keyPrefix = KEY_PREFIX, durability } = options
  const { db = 0, keyPrefix: clientPrefix = '' } = client.options ?? {}
  const key = (name: string) => keyPrefix + name
  // In Redis, channels depend neither on the database number nor on the client's own key prefix.
  const channel = (name: string) => `${db}:${clientPrefix}${keyPrefix}${name}`
  const subscriptions = createSubscriptions(client)
  const losses = countConnectionLosses(client)
  const stopReconnecting = client.isCluster ? () => {} : reconnectEnded(client, losses)
  const durableWrites = durability && createDurableWrites(client, durability)
  const connecting = firstConnection(client)
  let isConnecting = true
  void connecting.then(() => (isConnecting = false))
  let closed = false
  let hasRights = false
  const patterns = { key: `~${clientPrefix}${key('*')}`, channel: `&${channel('*')}` }

  async function run<T>(call: () => Promise<T>): Promise<T> {
    try {
      if (isConnecting) await connecting
      if (closed) throw storeClosed('Redis')
      return await call()
    } catch (error) {
      throw storeFailure(error, { isCluster: client.isCluster, patterns }, losses.lastError())
    }
  }

  const send = (command: RedisCommand) => sendCommand(client, command)

  /**
   * If the connection is lost before the answer, ioredis resends the command. If the second attempt changed
   * nothing, the first attempt may have been applied, so the write rejects. If the write answered `false`
   * instead, the caller could waste an authorization code, or treat a free key as taken.
   */
  const execWrite = (write: Write) =>
    run(async () => {
      // Some rights are needed late: EVAL after Redis has lost its scripts. A host must not find out as late as that.
      if (!hasRights) await send(requireRights(key('rights'), channel('rights')))
      hasRights = true
      const lostBefore = losses.count()
      const reply = await execute(write, send)
      const isDone = write.isDone?.(reply) ?? true
      if (isDone || losses.count() === lostBefore) return isDone
      throw storeUnavailable('the connection to Redis was lost during a write, which may have been applied')
    })

  const get = async (name: string) => ((await send(['get', key(name)])) as string | null) ?? undefined

  const store: Store = {
    get: (name) => run(() => get(name)),

    // In a cluster, the keys are on several nodes. All commands are sent before the first answer.
    getMany: (names) =>
      run(async () => {
        if (client.isCluster || names.length < 2) return Promise.all(names.map(get))
        const values = (await execute(getMany(names.map(key)), send)) as (string | null)[]
        return values.map((value) => value ?? undefined)
      }),

    ...writesBy(key, execWrite),

    // All members have the score 0, so Redis orders them by their bytes.
    range: (index, { after, limit }) =>
      run(async () => {
        const from = after === undefined ? '-' : `(${after}`
        return (await send(['zrangebylex', key(index), from, '+', 'LIMIT', 0, limit])) as string[]
      }),

    publish: (name, message) => run(async () => void (await client.call('publish', channel(name), message))),

    subscribe: (name, listener, missed) =>
      run(() => subscriptions.subscribe(channel(name), listener, missed)),

    count: (name, amount, { slotSeconds, slots, claim, max }) =>
      run(async () => {
        const { command, withText } = countInSlots(key(name), amount, slotSeconds, slots, claim, max)
        const reply = (await execute({ command, withText }, send)) as readonly unknown[]
        const [time = 0, claimed = 0, ...counts] = reply.map(Number)
        return { time, claimed, counts }
      }),

    ping: () => run(async () => void (await client.call('ping'))),

    inspect: () => run(() => inspectRedis(client, { replicas: durability?.replicas })),

    async close() {
      if (closed) return
      closed = true
      losses.stop()
      stopReconnecting()
      subscriptions.close()
      durableWrites?.close()
    },
  }
  if (!durableWrites) return store
  return {
    ...store,
    durable: { ...store, ...writesBy(key, (write) => run(() => durableWrites.write(write))) },
  }
}

async function sendCommand(client: RedisClient, command: RedisCommand): Promise<unknown> {
  corkForThisTurn(client)
  try {
    return await client.call(...command)
  } catch (error) {
    // With `enableAutoPipelining` ioredis follows redirections only for an explicit pipeline of one command.
    if (!client.isCluster || !isMisdirected(error)) throw error
    const [[failure, reply] = [error as Error, undefined]] = (await client.pipeline([command]).exec()) ?? []
    if (failure) throw failure
    return reply
  }
}

function writesBy(key: (name: string) => string, write: (one: Write) => Promise<boolean>) {
  return {
    set: async (name, value, ttl) => void (await write(writes.set(key(name), value, ttl))),
    create: (name, value, ttl) => write(writes.create(key(name), value, ttl)),
    replace: (name, expected, value, ttl) => write(writes.replace(key(name), expected, value, ttl)),
    delete: (name) => write(writes.delete(key(name))),
    add: async (index, member, ttl) => void (await write(writes.add(key(index), member, ttl))),
    remove: async (index, member) => void (await write(writes.remove(key(index), member))),
  } satisfies Partial<Store>
}

const RECONNECT_MS = 100

/**
 * With `failoverDetector: true`, a race can end the client for good: the Sentinels announce a new master while the
 * client asks them for it. A client that the host has closed, or whose `retryStrategy` gave up, stays closed.
 *
 * Relies on: a client of ioredis changes from `connecting` to `end` without a `close` only if it ended by itself, or
 * if the host closed it meanwhile. In the second case, `manuallyClosing` is true.
 */
function reconnectEnded(client: RedisClient, losses: Pick<ConnectionLosses, 'count'>): () => void {
  let lostBefore: number | undefined
  let timer: NodeJS.Timeout | undefined
  const begin = () => (lostBefore = losses.count())
  const reconnect = () => {
    const isClosedByHost = Reflect.get(client, 'manuallyClosing') === true
    if (client.status === 'end' && !isClosedByHost) client.connect?.().catch(() => {})
  }
  const end = () => {
    if (lostBefore === losses.count()) timer = setTimeout(reconnect, RECONNECT_MS)
  }

  client.on('connecting', begin)
  client.on('end', end)
  return () => {
    clearTimeout(timer)
    client.off('connecting', begin)
    client.off('end', end)
  }
}
