import { Cluster, Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { redisStore } from 'koa-gatehouse/adapters/redis'
import type { Store } from '../../src/store/contract.ts'
import { startRedisCluster } from '../support/redis-cluster.ts'
import { describeWithRedis } from '../support/describe-with-redis.ts'
import { startRedis, type RedisServer } from '../support/redis-server.ts'
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'
import { unavailable } from './unavailable.ts'

describeWithRedis('writes whose answer is lost', () => {
  let server: RedisServer
  let proxy: TcpProxy
  let client: Redis
  let store: Store
  beforeAll(async () => {
    server = await startRedis()
    proxy = await startTcpProxy(server.port)
  })
  beforeEach(async () => {
    // With its default settings, ioredis reconnects after a lost answer and sends the command again.
    client = new Redis(proxy.port, '127.0.0.1')
    client.on('error', () => {})
    store = redisStore(client)
    await client.flushall()
    // ioredis sends its own commands on a new connection, and the store checks the rights of its user before its first
    // write. After this write, all these commands are answered, so a test can lose only the answer to a later command.
    await vi.waitFor(() => store.set('first', '1'))
  })
  afterEach(() => client.disconnect())
  afterAll(async () => {
    await proxy.close()
    await server.stop()
  })

  it('a create whose answer is lost rejects, because a repeated command would find its own effect and answer false', async () => {
    proxy.loseNextAnswer()
    await expect(store.create('code', 'used')).rejects.toMatchObject(unavailable)
    expect(await store.get('code')).toBe('used')
    expect(await store.create('code', 'used')).toBe(false)
  })

  it('a replace whose answer is lost rejects, because a repeated command would find its own effect and answer false', async () => {
    await store.set('family', 'older')
    // The first replace also loads the script into Redis.
    await store.replace('family', 'older', 'old')
    proxy.loseNextAnswer()
    await expect(store.replace('family', 'old', 'new')).rejects.toMatchObject(unavailable)
    expect(await store.get('family')).toBe('new')
    expect(await store.replace('family', 'old', 'new')).toBe(false)
  })

  it('a delete whose answer is lost rejects, because a repeated command would find its own effect and answer false', async () => {
    await store.set('a', '1')
    proxy.loseNextAnswer()
    await expect(store.delete('a')).rejects.toMatchObject(unavailable)
    expect(await store.delete('a')).toBe(false)
  })

  it('idempotent commands whose answer is lost are repeated', async () => {
    proxy.loseNextAnswer()
    await store.set('a', '1')
    proxy.loseNextAnswer()
    await store.add('index', 'a')
    proxy.loseNextAnswer()
    expect(await store.get('a')).toBe('1')
    expect(await store.range('index', { limit: 10 })).toEqual(['a'])
  })

  it('a closed store leaves no listeners on its client', async () => {
    const before = client.listenerCount('close')
    const stores = Array.from({ length: 5 }, () => redisStore(client))
    expect(client.listenerCount('close')).toBe(before + 5)
    for (const opened of stores) await opened.close()
    expect(client.listenerCount('close')).toBe(before)
  })
})

describeWithRedis('writes whose answer is lost, on a cluster', () => {
  it('a create on a cluster whose answer is lost rejects', async () => {
    const cluster = await startRedisCluster()
    const [first, second] = [cluster.nodes[0]!, cluster.nodes[1]!]
    const proxy = await startTcpProxy(first.port)
    const behindProxy = { host: '127.0.0.1', port: proxy.port }
    const client = new Cluster([behindProxy, { host: '127.0.0.1', port: second.port }], {
      natMap: { [`127.0.0.1:${first.port}`]: behindProxy },
    })
    client.on('error', () => {})
    const store = redisStore(client)
    // The test needs a name whose key is on the node behind the proxy.
    const names = Array.from({ length: 20 }, (_, number) => `code ${number}`)
    const owners = await Promise.all(names.map((name) => cluster.masterOf(`gatehouse:${name}`)))
    const name = names[owners.indexOf(first)]!

    // The store checks the rights of its user before its first write.
    await vi.waitFor(() => store.set(name, 'first'))
    await store.delete(name)
    proxy.loseNextAnswer()
    await expect(store.create(name, 'used')).rejects.toMatchObject(unavailable)
    await vi.waitFor(async () => expect(await store.get(name)).toBe('used'))

    await store.close()
    client.disconnect()
    await proxy.close()
    await cluster.stop()
  })
})
