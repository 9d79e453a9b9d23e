import { once } from 'node:events'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { redisStore } from 'koa-gatehouse/adapters/redis'
import { storeContract } from 'koa-gatehouse/testing'
import type { Store } from 'koa-gatehouse'
import { describeWithRedis } from '../support/describe-with-redis.ts'
import { startRedis, type RedisServer } from '../support/redis-server.ts'
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'
import { elapse } from './real-time.ts'

describeWithRedis('the store contract on an unreachable Redis', () => {
  let server: RedisServer
  const clients: Redis[] = []
  const proxies = new Map<Store, TcpProxy>()
  beforeAll(async () => {
    server = await startRedis()
  })
  afterAll(async () => {
    for (const client of clients) client.disconnect()
    await Promise.all([...proxies.values()].map((proxy) => proxy.close()))
    await server.stop()
  })

  async function createStore(): Promise<Store> {
    const proxy = await startTcpProxy(server.port)
    // These are the settings that the adapter recommends. With the default settings of ioredis, calls would
    // wait until gatehouse times them out.
    const client = new Redis(proxy.port, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      retryStrategy: (attempt) => Math.min(attempt * 50, 500),
    })
    // Without this listener, ioredis would print each error event. The cases assert the errors of the calls.
    client.on('error', () => {})
    clients.push(client)
    await once(client, 'ready')
    const store = redisStore(client)
    proxies.set(store, proxy)
    return store
  }

  const cases = storeContract({
    createStore,
    elapse,
    breakConnection: async (store) =>
      (await proxies.get(store)?.cut()) ?? expect.fail('createStore() has not created this store'),
  }).filter(({ name }) => /^(without its database|once its database)/.test(name))

  it('the contract has three cases for an unreachable database', () => {
    expect(cases).toHaveLength(3)
  })

  describe.concurrent('', () => {
    for (const { name, run } of cases) it(name, run)
  })
})
