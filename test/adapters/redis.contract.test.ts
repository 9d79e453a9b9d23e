import { Cluster, Redis } from 'ioredis'
import { Redis as Redis6, type Cluster as Cluster6 } from 'ioredis-6'
import { afterAll, beforeAll, describe, expect, expectTypeOf, it, vi } from 'vitest'
import { redisStore, type RedisClient } from 'koa-gatehouse/adapters/redis'
import { storeContract } from '../../src/testing/store-contract.ts'
import { commandsOf } from './redis-commands.ts'
import { describeWithRedis } from '../support/describe-with-redis.ts'
import { startRedis, type RedisServer } from '../support/redis-server.ts'
import { elapse } from './real-time.ts'

const durability = { replicas: 1, timeoutMs: 5000 }

/** Every command that the adapter may send, and the commands with which ioredis sets up a connection. */
const COMMANDS = new Set(
  [
    'get set del exists zadd zrem zrangebylex pttl expire persist eval evalsha wait',
    'publish subscribe unsubscribe ping info time config|get',
    'hello quit client|setinfo client|setname',
    // The replica sends these commands.
    'psync replconf',
  ].flatMap((commands) => commands.split(' ')),
)

describeWithRedis('the store contract on Redis', () => {
  let server: RedisServer
  let replica: RedisServer
  const clients: Redis[] = []
  beforeAll(async () => {
    server = await startRedis({ args: ['--repl-diskless-sync-delay', '0'] })
    replica = await startRedis({ args: ['--replicaof', `127.0.0.1 ${server.port}`] })
    clients.push(
      new Redis(server.port),
      new Redis6(server.port) as unknown as Redis,
      new Redis(server.port, { enableAutoPipelining: true, stringNumbers: true }),
    )
    for (const client of clients) client.setMaxListeners(0)
    const probe = redisStore(clients[0]!, { durability })
    await vi.waitFor(() => probe.durable!.set('probe', '1', 1), { timeout: 20_000 })
    await probe.close()
  })
  afterAll(async () => {
    for (const client of clients) client.disconnect()
    await Promise.all([server.stop(), replica.stop()])
  })

  const plain = (number: number) => storeContract({ createStore: () => redisStore(clients[number]!), elapse })
  const contracts = [
    plain(0),
    plain(1),
    plain(2),
    // The durable store has every method, so it must pass the same contract.
    storeContract({ createStore: () => redisStore(clients[0]!, { durability }).durable!, elapse }),
  ]
  describe.concurrent('', () => {
    // The contract runs on all stores at the same time, so that the tests wait only once for each expiry.
    for (const [position, { name }] of contracts[0]!.entries()) {
      it(name, () => Promise.all(contracts.map((cases) => cases[position]!.run())))
    }
  })

  it('the Redis store sends no command that lists or deletes keys of other programs, and no blocking command except WAIT', async () => {
    const used = await commandsOf(server)
    expect(used.filter((name) => !COMMANDS.has(name))).toEqual([])
    // WAIT is the only blocking command. The store sends it over a separate connection.
    expect(used).toContain('wait')
  })

  it('the contract suite leaves nothing in Redis', async () => {
    await vi.waitFor(async () => expect(await clients[0]!.keys('*')).toEqual([]))
  })
})

it('clients of ioredis fit the type that the adapter takes', () => {
  expectTypeOf<Redis>().toExtend<RedisClient>()
  expectTypeOf<Cluster>().toExtend<RedisClient>()
  expectTypeOf<Redis6>().toExtend<RedisClient>()
  expectTypeOf<Cluster6>().toExtend<RedisClient>()
  expectTypeOf(redisStore).parameter(0).toEqualTypeOf<RedisClient>()
})

it('redisStore() called with something other than a client throws an error that names the accepted argument', () => {
  for (const client of ['redis://localhost:6379', undefined, {}])
    expect(() => redisStore(client as never)).toThrow('redisStore takes a client of ioredis')
})

it('a client that reads from replicas is rejected, and the error names its option', () => {
  for (const [option, client] of [
    ['scaleReads', new Cluster([], { lazyConnect: true, scaleReads: 'slave' })],
    ['scaleReads', new Cluster([], { lazyConnect: true, scaleReads: 'all' })],
    ['scaleReads', new Cluster([], { lazyConnect: true, scaleReads: String as never })],
    ['role', new Redis({ lazyConnect: true, sentinels: [{ port: 1 }], name: 'a', role: 'slave' })],
  ] as const) {
    const message = expect.stringContaining(`leave ${option} out`) as string
    expect(() => redisStore(client)).toThrow(
      expect.objectContaining({ code: 'ERR_OPTIONS', message }) as Error,
    )
  }
})
