import { inspect } from 'node:util'
import { setTimeout as delay } from 'node:timers/promises'
import { Redis, type RedisOptions } from 'ioredis'
import { Redis as Redis6 } from 'ioredis-6'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { redisStore } from 'koa-gatehouse/adapters/redis'
import { storeFailure } from '../../adapters/redis/errors.ts'
import { areCredentialsRejected } from '../../src/errors.ts'
import { withDeadline } from '../../src/store/resilient-store.ts'
import type { Store } from '../../src/store/contract.ts'
import { askRedis } from '../support/ask-redis.ts'
import { describeWithRedis } from '../support/describe-with-redis.ts'
import { freePort } from '../support/free-port.ts'
import { startRedis, type RedisServer } from '../support/redis-server.ts'
import { unavailable } from './unavailable.ts'

/** The settings that the doc comment of redisStore recommends. */
const RECOMMENDED: RedisOptions = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  retryStrategy: (attempt) => Math.min(attempt * 50, 500),
}

/** Calls each method that sends a command to Redis, and returns the promises of the calls. */
function everyCall(store: Store): Promise<unknown>[] {
  return [
    store.get('a'),
    store.getMany(['a', 'b', 'c']),
    store.set('a', '1'),
    store.create('b', '1', 10),
    store.replace('a', '1', '2'),
    store.delete('a'),
    store.add('index', 'a', 10),
    store.remove('index', 'a'),
    store.range('index', { limit: 10 }),
    store.publish('channel', 'hello'),
    store.ping(),
  ]
}

describe.each([
  ['5', Redis],
  ['6', Redis6 as unknown as typeof Redis],
] as const)('ioredis %s', (_, AnyRedis) => {
  describeWithRedis('the Redis store', () => {
    let server: RedisServer
    let admin: Redis
    const clients: Redis[] = []

    async function connect(options: RedisOptions = {}, port = server.port): Promise<Redis> {
      const client = new AnyRedis(port, '127.0.0.1', options)
      clients.push(client)
      client.on('error', () => {})
      await vi.waitFor(() => expect(client.status).toBe('ready'))
      return client
    }

    beforeAll(async () => {
      server = await startRedis()
      admin = new Redis(server.port, { retryStrategy: () => 50 })
      admin.on('error', () => {})
    })
    beforeEach(async () => {
      await admin.flushall()
    })
    afterEach(() => {
      for (const client of clients.splice(0)) client.disconnect()
    })
    afterAll(async () => {
      admin.disconnect()
      await server.stop()
    })

    it('a store on a client that is still connecting waits for the connection, without an offline queue', async () => {
      const client = new AnyRedis(server.port, '127.0.0.1', RECOMMENDED)
      clients.push(client)
      const store = redisStore(client, { keyPrefix: 'connecting:' })
      await store.set('a', '1')
      expect(await store.get('a')).toBe('1')
      expect([client.listenerCount('ready'), client.listenerCount('close')]).toEqual([1, 1])
    })

    it('a store on a client that cannot connect rejects its first calls within a second', async () => {
      const client = new AnyRedis(await freePort(), '127.0.0.1', RECOMMENDED)
      clients.push(client)
      client.on('error', () => {})
      const started = performance.now()
      await expect(redisStore(client).get('a')).rejects.toMatchObject({ code: 'ERR_STORE_UNAVAILABLE' })
      expect(performance.now() - started).toBeLessThan(1000)
    })

    it('the Redis store works after SCRIPT FLUSH', async () => {
      const store = redisStore(await connect())
      await store.set('a', '1')
      expect(await store.replace('a', '1', '2')).toBe(true)
      await admin.script('FLUSH')
      expect(await store.replace('a', '2', '3')).toBe(true)
      await admin.script('FLUSH')
      await store.add('index', 'b', 10)
      await admin.script('FLUSH')
      expect(await Promise.all([store.replace('a', '3', '4'), store.replace('a', '3', '4')])).toEqual([
        true,
        false,
      ])
      expect(await store.get('a')).toBe('4')
      expect(await store.range('index', { limit: 10 })).toEqual(['b'])
    })

    it('a write to a full Redis rejects with ERR_STORE_UNAVAILABLE, and the error quotes neither key nor value', async () => {
      const store = redisStore(await connect())
      await store.set('full', '1')
      await admin.config('SET', 'maxmemory', '1')
      try {
        for (const write of [
          () => store.set('a', 'private text'),
          () => store.create('private key', 'private text'),
        ]) {
          const error: unknown = await write().catch((reason: unknown) => reason)
          expect(error).toMatchObject({
            ...unavailable,
            message: expect.stringMatching(/^Redis rejected a command: OOM, .*maxmemory/),
          })
          expect(inspect(error, { depth: 10 })).not.toContain('private')
        }
        await expect(store.replace('full', '1', 'private text')).rejects.toMatchObject(unavailable)
      } finally {
        await admin.config('SET', 'maxmemory', '0')
      }
      expect(await store.create('private key', 'private text')).toBe(true)
    })

    it.each([
      ['NOAUTH', 'default settings', {}],
      ['WRONGPASS', 'default settings', { username: 'default', password: 'another' }],
      ['NOAUTH', 'the recommended settings', RECOMMENDED],
    ])(
      'a call without the right password rejects with ERR_STORE_UNAVAILABLE: %s, with %s',
      async (rejection, _settings, options) => {
        const locked = await startRedis({ args: ['--appendonly', 'no'] })
        await askRedis(locked, 'CONFIG', 'SET', 'requirepass', 'pass')
        const client = new AnyRedis(locked.port, { ...options, maxRetriesPerRequest: 0 })
        clients.push(client)
        client.on('error', () => {})
        const store = redisStore(client, { durability: { replicas: 1, timeoutMs: 100 } })
        const rejected = {
          ...unavailable,
          message: expect.stringMatching(
            new RegExp(`^Redis rejected a command: ${rejection}, .*username and password`),
          ),
        }
        const error = await store.get('a').catch((cause: unknown) => cause)
        expect(error).toMatchObject(rejected)
        expect(areCredentialsRejected(error)).toBe(true)
        await expect(store.durable?.set('a', '1')).rejects.toMatchObject(rejected)
        await store.close()
        await locked.stop()
      },
    )

    it('without Redis every call fails immediately, and all calls work again once Redis is back', async () => {
      const client = await connect(RECOMMENDED)
      const store = redisStore(client)
      await store.set('a', '1')
      await server.kill()
      await vi.waitFor(() => expect(client.status).toBe('reconnecting'))

      const start = performance.now()
      for (const outcome of await Promise.allSettled(everyCall(store))) {
        expect(outcome).toMatchObject({ status: 'rejected', reason: unavailable })
      }
      expect(performance.now() - start).toBeLessThan(500)

      await server.restart()
      const back = performance.now()
      await vi.waitFor(() => store.ping(), { timeout: 5000 })
      expect(performance.now() - back).toBeLessThan(2000)
      for (const outcome of await Promise.allSettled(everyCall(store))) {
        expect(outcome.status).toBe('fulfilled')
      }
    })

    it('a client with default settings reconnects by itself', async () => {
      const store = redisStore(await connect())
      await server.restart()
      await vi.waitFor(() => store.set('a', '1'), { timeout: 5000 })
      expect(await store.replace('a', '1', '2')).toBe(true)
    })

    it('a call to a Redis that hangs rejects with ERR_STORE_UNAVAILABLE after the commandTimeout of the client', async () => {
      const store = redisStore(await connect({ commandTimeout: 100 }))
      server.pause()
      try {
        await expect(store.get('a')).rejects.toMatchObject(unavailable)
        await expect(store.create('a', '1')).rejects.toMatchObject(unavailable)
      } finally {
        server.resume()
      }
      await vi.waitFor(() => store.ping())
    })

    it('a call rejects with ERR_STORE_UNAVAILABLE if the host has disconnected the client', async () => {
      const client = await connect()
      const store = redisStore(client)
      client.disconnect()
      await expect(store.get('a')).rejects.toMatchObject(unavailable)
      await expect(store.create('a', '1')).rejects.toMatchObject(unavailable)
    })

    // What does not depend on the client is tested with one client.
    if (AnyRedis !== Redis) return

    it('stores whose prefixes extend one another, or contain special characters of Redis, share no data', async () => {
      const client = await connect()
      client.setMaxListeners(0)
      const prefixes = ['a:', 'a:b:', '*', 'a*', '{', '{a}', '{a}:', '[a-z]', '?', 'a', '', '\\', 'a b\n"']
      const stores = prefixes.map((keyPrefix) => redisStore(client, { keyPrefix }))
      const received: string[][] = prefixes.map(() => [])
      for (const [position, store] of stores.entries()) {
        await store.subscribe('news', (message) => received[position]!.push(message))
        expect(await store.create('one', prefixes[position]!)).toBe(true)
        await store.add('index', prefixes[position]! || 'empty')
      }
      for (const [position, store] of stores.entries()) {
        await store.publish('news', `of ${prefixes[position]}`)
        expect(await store.get('one')).toBe(prefixes[position])
        expect(await store.range('index', { limit: 10 })).toEqual([prefixes[position] || 'empty'])
      }
      await vi.waitFor(() => expect(received).toEqual(prefixes.map((prefix) => [`of ${prefix}`])))
      expect(await stores[0]!.delete('one')).toBe(true)
      expect(await stores[1]!.get('one')).toBe('a:b:')
      for (const store of stores) await store.close()
    })

    it('a client with the reconnectOnError of docs/redis.md reconnects when its server has become a read-only replica', async () => {
      const client = await connect({ reconnectOnError: (error) => error.message.startsWith('READONLY') })
      const store = redisStore(client)
      const closed = vi.fn<() => void>()
      client.on('close', closed)
      await admin.replicaof('127.0.0.1', await freePort())
      try {
        await expect(store.set('a', '1')).rejects.toMatchObject({
          ...unavailable,
          message: expect.stringMatching(/^Redis rejected a command: READONLY, /),
        })
        await vi.waitFor(() => expect(closed).toHaveBeenCalledOnce())
      } finally {
        await admin.replicaof('NO', 'ONE')
      }
      await vi.waitFor(() => store.set('a', '1'))
    })

    it('a call rejects with ERR_STORE_UNAVAILABLE on a master with too few replicas, and on a replica without its master', async () => {
      const store = redisStore(await connect())
      await admin.config('SET', 'min-replicas-to-write', '1')
      await expect(store.set('a', '1')).rejects.toMatchObject({
        ...unavailable,
        message: expect.stringMatching(/^Redis rejected a command: NOREPLICAS, .*min-replicas-to-write/),
      })
      await admin.config('SET', 'min-replicas-to-write', '0')
      await admin.config('SET', 'replica-serve-stale-data', 'no')
      await admin.replicaof('127.0.0.1', await freePort())
      try {
        await expect(store.get('a')).rejects.toMatchObject({
          ...unavailable,
          message: expect.stringMatching(/^Redis rejected a command: MASTERDOWN, /),
        })
      } finally {
        await admin.replicaof('NO', 'ONE')
        await admin.config('SET', 'replica-serve-stale-data', 'yes')
      }
    })

    it('a command that the client has no right to send rejects with ERR_STORE_UNAVAILABLE', async () => {
      await admin.acl('SETUSER', 'reader', 'on', '>pass', '~*', '&*', '+@read', '+info', '+ping')
      const store = redisStore(await connect({ username: 'reader', password: 'pass' }))
      expect(await store.get('a')).toBeUndefined()
      await expect(store.set('a', '1')).rejects.toMatchObject({
        ...unavailable,
        message: expect.stringMatching(/^Redis rejected a command: NOPERM, .*ACL LOG/),
      })
      await expect(store.replace('a', '1', '2')).rejects.toMatchObject(unavailable)
      await expect(store.set('a', '1')).rejects.toSatisfy(areCredentialsRejected)
    })

    it('a write to a read-only replica rejects with ERR_STORE_UNAVAILABLE', async () => {
      const store = redisStore(await connect())
      await store.set('a', '1')
      await admin.replicaof('127.0.0.1', await freePort())
      try {
        for (const write of [
          store.set('a', '2'),
          store.replace('a', '1', '2'),
          store.delete('a'),
          store.add('i', 'a'),
        ]) {
          await expect(write).rejects.toMatchObject({
            ...unavailable,
            message: expect.stringMatching(/^Redis rejected a command: READONLY, .*reconnectOnError/),
          })
        }
      } finally {
        await admin.replicaof('NO', 'ONE')
      }
      expect(await store.get('a')).toBe('1')
    })

    it('a key whose value has the wrong Redis type is reported as ERR_STORE_CORRUPT, never as absent', async () => {
      const store = redisStore(await connect())
      await admin.rpush('gatehouse:list', 'x')
      await admin.set('gatehouse:text', 'x')
      const corrupt = { code: 'ERR_STORE_CORRUPT', status: 500 }
      await expect(store.get('list')).rejects.toMatchObject(corrupt)
      await expect(store.getMany(['text', 'list'])).rejects.toMatchObject(corrupt)
      await expect(store.replace('list', 'x', 'y')).rejects.toMatchObject(corrupt)
      await expect(store.add('text', 'x', 10)).rejects.toMatchObject(corrupt)
      await expect(store.range('text', { limit: 1 })).rejects.toMatchObject(corrupt)
      expect(await admin.ttl('gatehouse:text')).toBe(-1)
    })

    it('a call during an endless script rejects with ERR_STORE_UNAVAILABLE, and the error says how to stop the script', async () => {
      const store = redisStore(await connect())
      await admin.config('SET', 'busy-reply-threshold', '1')
      const endless = admin.duplicate()
      const running = endless.eval('while true do end', 0).catch(() => {})
      try {
        await vi.waitFor(() =>
          expect(store.get('a')).rejects.toMatchObject({
            ...unavailable,
            message: expect.stringMatching(/^Redis rejected a command: BUSY, .*SCRIPT KILL/),
          }),
        )
      } finally {
        await admin.script('KILL' as never)
        await running
        endless.disconnect()
        await admin.config('SET', 'busy-reply-threshold', '5000')
      }
      expect(await store.get('a')).toBeUndefined()
    })

    it('a message reaches only stores whose client has the same database and prefix', async () => {
      const stores = [{ db: 0 }, { db: 1 }, { keyPrefix: 'tenant:' }].map((options) => {
        const client = new AnyRedis(server.port, options)
        clients.push(client)
        return redisStore(client)
      })
      const received: string[][] = [[], [], []]
      for (const [position, store] of stores.entries()) {
        await store.subscribe('news', (message) => received[position]!.push(message))
        await store.set('a', String(position))
      }
      for (const [position, store] of stores.entries()) {
        await store.publish('news', `from ${position}`)
        expect(await store.get('a')).toBe(String(position))
      }
      await vi.waitFor(() => expect(received).toEqual([['from 0'], ['from 1'], ['from 2']]))
      for (const store of stores) await store.close()
    })

    it('a call that fails long after its deadline leaves no unhandled rejection', async () => {
      const unhandled: unknown[] = []
      const listener = (reason: unknown) => unhandled.push(reason)
      process.on('unhandledRejection', listener)
      const client = await connect()
      const store = withDeadline(redisStore(client), 50)
      server.pause()
      try {
        const outcomes = await Promise.allSettled([...everyCall(store), store.subscribe('channel', () => {})])
        for (const outcome of outcomes)
          expect(outcome).toMatchObject({ status: 'rejected', reason: unavailable })
      } finally {
        client.disconnect()
        await store.close()
        server.resume()
      }
      await delay(100)
      process.off('unhandledRejection', listener)
      expect(unhandled).toEqual([])
    })
  })
})

const ERRORS: readonly (readonly [message: string, code: string, help: string])[] = [
  ["READONLY You can't write against a read only replica.", 'READONLY', 'reconnectOnError'],
  [
    "ERR Error running script (call to f_1): @user_script:2: @user_script: 2: -READONLY You can't write",
    'READONLY',
    '',
  ],
  [
    'ERR Error running script (call to f_1): @user_script:5: -OOM command not allowed when used memory',
    'OOM',
    'maxmemory',
  ],
  ['Ready check failed: NOAUTH Authentication required.', 'NOAUTH', 'password'],
  ['LOADING Redis is loading the dataset in memory', 'LOADING', 'loading its data'],
  ['MISCONF Redis is configured to save RDB snapshots', 'MISCONF', 'disk'],
  ['CLUSTERDOWN Hash slot not served', 'CLUSTERDOWN', 'CLUSTER INFO'],
  ['TRYAGAIN Multiple keys request during rehashing of slot', 'TRYAGAIN', 'try again'],
  ["CROSSSLOT Keys in request don't hash to the same slot", 'CROSSSLOT', 'proxy'],
  ['NOSCRIPT No matching script.', 'NOSCRIPT', 'proxy'],
  ['UNBLOCKED force unblock from blocking operation, instance state changed', 'UNBLOCKED', 'role'],
  [
    "ERR unknown command 'evalsha', with args beginning with: 'private'",
    'rejected an unknown command',
    'docs/redis.md',
  ],
  ['ERR something about private', 'ERR', ''],
  ['Too many Cluster redirections. Last error: ReplyError: MOVED 1 private:1', 'cluster do not agree', ''],
  ["Stream isn't writeable and enableOfflineQueue options is false", 'not connected', ''],
  ['Reached the max retries per request limit (which is 0).', 'lost before the answer', ''],
]

it('each error of Redis is reported with its code and what to do, and without what it quotes', () => {
  for (const [message, code, help] of ERRORS) {
    const error = storeFailure(new Error(message))
    expect(error).toMatchObject(unavailable)
    expect(error.message).toContain(code)
    expect(error.message).toContain(help)
    expect(error.message).not.toMatch(/private|\n/)
  }
})

// The texts of Redis 7.0, and of Redis 8.0 and Valkey.
it.each([
  ["NOPERM this user has no permissions to run the 'config|get' command", '+config|get'],
  ["NOPERM User private has no permissions to run the 'eval' command", '+eval'],
  [
    "ERR ACL failure in script: User private has no permissions to run the 'set' command script: 1, on @user_script:1.",
    '+set',
  ],
  ['NOPERM this user has no permissions to access one of the keys used as arguments', '~k:*'],
  ['NOPERM No permissions to access a key', '~k:*'],
  ['NOPERM this user has no permissions to access one of the channels used as arguments', '&0:k:*'],
  ['NOPERM No permissions to access a channel', '&0:k:*'],
])('the error %s names the missing rule %s', (message, rule) => {
  const error = storeFailure(new Error(message), { patterns: { key: '~k:*', channel: '&0:k:*' } })
  expect(error.message).toMatch(/^Redis rejected a command: NOPERM, ACL LOG shows what its user may not do, /)
  expect(error.message.endsWith(`. The missing rule: ACL SETUSER <user> ${rule}`)).toBe(true)
  expect(error).toSatisfy(areCredentialsRejected)
})
