import { setTimeout as delay } from 'node:timers/promises'
import { Cluster, Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from 'vitest'
import { redisStore, type RedisClient } from 'koa-gatehouse/adapters/redis'
import { storeContract } from '../../src/testing/store-contract.ts'
import { startRedisCluster, type RedisCluster } from '../support/redis-cluster.ts'
import { describeWithRedis } from '../support/describe-with-redis.ts'
import { startRedis, type RedisServer } from '../support/redis-server.ts'

/** Redis counts to the millisecond and lets a key live to the end of the last one. */
const elapse = (seconds: number) => delay(seconds * 1000 + 50)

/** Every command that the adapter may cause, those that ioredis sends to set up a connection included. */
const COMMANDS = new Set(
  [
    ['get', 'set', 'del', 'zadd', 'zrem', 'zrangebylex', 'pttl', 'expire', 'persist', 'eval', 'evalsha'],
    ['publish', 'subscribe', 'unsubscribe', 'ping'],
    ['info', 'hello', 'quit', 'client|setinfo', 'client|setname', 'cluster|slots', 'cluster|info'],
    // Of the test itself.
    ['cluster|addslotsrange', 'cluster|meet', 'cluster|set-config-epoch', 'cluster|replicate', 'mget'],
    ['cluster|myid', 'cluster|nodes', 'psync', 'replconf', 'role'],
  ].flat(),
)

async function otherCommands(client: Redis): Promise<string[]> {
  const used = [...(await client.info('commandstats')).matchAll(/^cmdstat_([^:]+):/gm)]
  return used.map(([, name = '']) => name).filter((name) => !COMMANDS.has(name))
}

describeWithRedis('the Redis store keeps the contract', () => {
  let server: RedisServer
  const clients: Redis[] = []
  beforeAll(async () => {
    server = await startRedis()
    clients.push(
      new Redis(server.port),
      new Redis(server.port, { enableAutoPipelining: true, stringNumbers: true }),
    )
  })
  afterAll(async () => {
    for (const client of clients) client.disconnect()
    await server.stop()
  })

  let created = 0
  const createStore = () => redisStore(clients[(created += 1) % 2]!)
  describe.concurrent('', () => {
    for (const { name, run } of storeContract({ createStore, elapse })) test(name, run)
  })

  test('with no command that looks at other keys, blocks, or deletes what is not its own', async () => {
    expect(await otherCommands(clients[0]!)).toEqual([])
  })

  test('and the suite leaves nothing behind', async () => {
    expect(await clients[0]!.keys('*')).toEqual([])
  })
})

describeWithRedis('the Redis store keeps the contract on a cluster', () => {
  let cluster: RedisCluster
  let node: Redis
  const clients: Cluster[] = []
  beforeAll(async () => {
    cluster = await startRedisCluster()
    const { port } = cluster.nodes[0]!
    node = new Redis(port)
    for (let count = 0; count < 2; count += 1) clients.push(new Cluster([{ host: '127.0.0.1', port }]))
  })
  afterAll(async () => {
    for (const client of [node, ...clients]) client.disconnect()
    await cluster.stop()
  })

  let created = 0
  const createStore = () => redisStore(clients[(created += 1) % 2]!)
  describe.concurrent('', () => {
    for (const { name, run } of storeContract({ createStore, elapse })) test(name, run)
  })

  test('with no command that looks at other keys, blocks, or deletes what is not its own', async () => {
    expect(await otherCommands(node)).toEqual([])
  })

  test('reads keys of all nodes at once', async () => {
    const store = redisStore(clients[0]!)
    const names = Array.from({ length: 50 }, (_, number) => `key ${number}`)
    await Promise.all(names.map((name) => store.set(name, name)))
    expect(await store.getMany(names)).toEqual(names)
    // The negative: a command that names several keys is refused.
    await expect(node.mget('key 1', 'key 2')).rejects.toThrow('CROSSSLOT')
  })

  test('tells a host that connects to one node only what it needs instead', async () => {
    const store = redisStore(node)
    const names = Array.from({ length: 50 }, (_, number) => `key ${number}`)
    await expect(store.getMany(names)).rejects.toMatchObject({
      code: 'ERR_STORE_UNAVAILABLE',
      message: expect.stringContaining('use Redis.Cluster'),
    })
  })
})

test('clients of ioredis fit the shape that the adapter asks for', () => {
  expectTypeOf<Redis>().toExtend<RedisClient>()
  expectTypeOf<Cluster>().toExtend<RedisClient>()
  expectTypeOf(redisStore).parameter(0).toEqualTypeOf<RedisClient>()
})

test.each([
  ['an address', 'redis://localhost:6379'],
  ['nothing', undefined],
  ['an object', {}],
])('a Redis store of %s says what it takes', (_, client) => {
  expect(() => redisStore(client as never)).toThrow('redisStore takes a client of ioredis')
})
