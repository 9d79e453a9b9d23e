import { GatehouseError } from '../src/errors.ts'
import type { Store } from '../src/store/contract.ts'
import type { RedisClient } from './redis/client.ts'
import { storeFailure } from './redis/failure.ts'
import { inspectRedis } from './redis/inspect.ts'
import { createScript } from './redis/script.ts'
import { createSubscriptions } from './redis/subscriptions.ts'

export type { RedisClient, RedisSubscriber } from './redis/client.ts'

/** What `redisStore` takes beside the client. */
export interface RedisStoreOptions {
  /** What all keys and channels begin with; services with different ones do not see each other. @default 'gatehouse:' */
  readonly keyPrefix?: string | undefined
}

/** Compare and set. Answers 1 if it was stored. */
const replaceScript = createScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
if ARGV[3] then
  redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[3])
else
  redis.call('SET', KEYS[1], ARGV[2])
end
return 1`)

/** Adds to an index and lengthens its life, never shortens it: PTTL is -2 for a new one, -1 for a permanent one. */
const addScript = createScript(`
local life = redis.call('PTTL', KEYS[1])
redis.call('ZADD', KEYS[1], 0, ARGV[1])
if not ARGV[2] then
  redis.call('PERSIST', KEYS[1])
elseif life == -2 or (life >= 0 and life < ARGV[2] * 1000) then
  redis.call('EXPIRE', KEYS[1], ARGV[2])
end
return 1`)

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
 * Redis must not evict (`maxmemory-policy noeviction`), and a cluster must read from its masters
 * (`scaleReads: 'master'`, the default). Only single keys and single commands are used: no `KEYS`, `SCAN`,
 * `FLUSHALL` or blocking command. For messages the store opens one connection more, when it is first needed.
 *
 * @throws {GatehouseError} `ERR_OPTIONS` if it is handed no client; from every method: `ERR_STORE_UNAVAILABLE` if Redis cannot be reached or is in no
 *   state to answer, `ERR_STORE_RECORD` if a key is taken by something else, `ERR_CLOSED` after `close()`
 */
export function redisStore(client: RedisClient, { keyPrefix = 'gatehouse:' }: RedisStoreOptions = {}): Store {
  requireClient(client)
  const subscriptions = createSubscriptions(client)
  const key = (name: string) => keyPrefix + name
  // Channels know neither the numbered databases nor the client's own prefix.
  const { db = 0, keyPrefix: clientPrefix = '' } = client.options ?? {}
  const channel = (name: string) => `${db}:${clientPrefix}${keyPrefix}${name}`
  const lifetime = (ttl: number | undefined) => (ttl === undefined ? [] : [ttl])

  let connectionsLost = 0
  let closed = false
  const countLoss = () => {
    connectionsLost += 1
  }
  client.on('close', countLoss)
  client.on('-node', countLoss)

  async function run<T>(command: () => Promise<T>): Promise<T> {
    if (closed) throw new GatehouseError('ERR_CLOSED', 'the Redis store has been closed')
    try {
      return await command()
    } catch (error) {
      throw storeFailure(error)
    }
  }

  /**
   * Runs a command that answers whether it changed something. ioredis sends a command again when the
   * connection is lost before the answer has come: then "no" may mean that the first one did it, and to say
   * so would be a lie that burns an authorization code or locks a name for ever.
   */
  async function decide(command: () => Promise<boolean>): Promise<boolean> {
    const lostBefore = connectionsLost
    const changed = await run(command)
    if (changed || connectionsLost === lostBefore) return changed
    throw new GatehouseError(
      'ERR_STORE_UNAVAILABLE',
      'the connection to Redis was lost during a write; whether it was applied is not known',
    )
  }

  return {
    get: (name) => run(async () => (await client.get(key(name))) ?? undefined),

    // Not MGET, whose keys would have to share a slot of a cluster; all are sent before the first answer.
    getMany: (names) =>
      run(() => Promise.all(names.map(async (name) => (await client.get(key(name))) ?? undefined))),

    set: (name, value, ttl) =>
      run(async () => {
        await (ttl === undefined ? client.set(key(name), value) : client.set(key(name), value, 'EX', ttl))
      }),

    create: (name, value, ttl) =>
      decide(async () => {
        const reply = await (ttl === undefined
          ? client.set(key(name), value, 'NX')
          : client.set(key(name), value, 'EX', ttl, 'NX'))
        return reply === 'OK'
      }),

    replace: (name, expected, value, ttl) =>
      decide(async () => isOne(await replaceScript(client, key(name), expected, value, ...lifetime(ttl)))),

    delete: (name) => decide(async () => isOne(await client.del(key(name)))),

    add: (index, member, ttl) =>
      run(async () => {
        await addScript(client, key(index), member, ...lifetime(ttl))
      }),

    remove: (index, member) =>
      run(async () => {
        await client.zrem(key(index), member)
      }),

    // All members have the score 0, and Redis orders them by their bytes.
    range: (index, { after, limit }) =>
      run(() =>
        client.zrangebylex(key(index), after === undefined ? '-' : `(${after}`, '+', 'LIMIT', 0, limit),
      ),

    publish: (name, message) =>
      run(async () => {
        await client.publish(channel(name), message)
      }),

    subscribe: (name, listener, missed) =>
      run(() => subscriptions.subscribe(channel(name), listener, missed)),

    ping: () =>
      run(async () => {
        await client.ping()
      }),

    inspect: () => run(() => inspectRedis(client)),

    async close() {
      if (closed) return
      closed = true
      client.off('close', countLoss)
      client.off('-node', countLoss)
      subscriptions.close()
    },
  }
}

/** A client with `stringNumbers` answers numbers as text. */
function isOne(reply: unknown): boolean {
  return Number(reply) === 1
}

/** Whoever hands over an address is told what to do with it. */
function requireClient(client: unknown): void {
  if (typeof client === 'object' && client !== null && 'zrangebylex' in client) return
  throw new GatehouseError('ERR_OPTIONS', 'redisStore takes a client of ioredis: redisStore(new Redis(url))')
}
