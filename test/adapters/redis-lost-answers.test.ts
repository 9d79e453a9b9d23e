import { Cluster, Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { redisStore } from 'koa-gatehouse/adapters/redis'
import type { Store } from '../../src/store/contract.ts'
import { startRedisCluster } from '../support/redis-cluster.ts'
import { describeWithRedis } from '../support/describe-with-redis.ts'
import { startRedis, type RedisServer } from '../support/redis-server.ts'
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'
import { unavailable } from './unavailable.ts'

describeWithRedis('a write whose answer was lost', () => {
  let server: RedisServer
  let proxy: TcpProxy
  let client: Redis
  let store: Store
  beforeAll(async () => {
    server = await startRedis()
    proxy = await startTcpProxy(server.port)
  })
  beforeEach(async () => {
    // The default settings, with which ioredis sends such a command again once it is connected again.
    client = new Redis(proxy.port, '127.0.0.1')
    client.on('error', () => {})
    store = redisStore(client)
    await client.flushall()
    // The first connection sends some things of its own.
    await vi.waitFor(() => store.ping())
  })
  afterEach(() => client.disconnect())
  afterAll(async () => {
    await proxy.close()
    await server.stop()
  })

  test('is not reported as rejected by create, though the name is taken, by itself', async () => {
    proxy.loseNextAnswer()
    await expect(store.create('code', 'used')).rejects.toMatchObject(unavailable)
    expect(await store.get('code')).toBe('used')
    expect(await store.create('code', 'used')).toBe(false)
  })

  test('is not reported as rejected by replace, though the text is another one now, its own', async () => {
    await store.set('family', 'older')
    // The first one also brings the script to Redis.
    await store.replace('family', 'older', 'old')
    proxy.loseNextAnswer()
    await expect(store.replace('family', 'old', 'new')).rejects.toMatchObject(unavailable)
    expect(await store.get('family')).toBe('new')
    expect(await store.replace('family', 'old', 'new')).toBe(false)
  })

  test('is not reported as "nothing was there" by delete', async () => {
    await store.set('a', '1')
    proxy.loseNextAnswer()
    await expect(store.delete('a')).rejects.toMatchObject(unavailable)
    expect(await store.delete('a')).toBe(false)
  })

  test('does no harm to what may be done twice', async () => {
    proxy.loseNextAnswer()
    await store.set('a', '1')
    proxy.loseNextAnswer()
    await store.add('index', 'a')
    proxy.loseNextAnswer()
    expect(await store.get('a')).toBe('1')
    expect(await store.range('index', { limit: 10 })).toEqual(['a'])
  })

  test('leaves no listeners on the client once the store is closed', async () => {
    const before = client.listenerCount('close')
    const stores = Array.from({ length: 5 }, () => redisStore(client))
    expect(client.listenerCount('close')).toBe(before + 5)
    for (const opened of stores) await opened.close()
    expect(client.listenerCount('close')).toBe(before)
  })
})

describeWithRedis('a write whose answer was lost, on a cluster', () => {
  test('is not reported as rejected either', async () => {
    const cluster = await startRedisCluster()
    const [first, second] = [cluster.nodes[0]!, cluster.nodes[1]!]
    const proxy = await startTcpProxy(first.port)
    const behindProxy = { host: '127.0.0.1', port: proxy.port }
    const client = new Cluster([behindProxy, { host: '127.0.0.1', port: second.port }], {
      natMap: { [`127.0.0.1:${first.port}`]: behindProxy },
    })
    client.on('error', () => {})
    const store = redisStore(client)
    // One that is kept by the node behind the relay.
    const names = Array.from({ length: 20 }, (_, number) => `code ${number}`)
    const owners = await Promise.all(names.map((name) => cluster.masterOf(`gatehouse:${name}`)))
    const name = names[owners.indexOf(first)]!

    await vi.waitFor(() => store.get(name))
    proxy.loseNextAnswer()
    await expect(store.create(name, 'used')).rejects.toMatchObject(unavailable)
    await vi.waitFor(async () => expect(await store.get(name)).toBe('used'))

    await store.close()
    client.disconnect()
    await proxy.close()
    await cluster.stop()
  })
})
