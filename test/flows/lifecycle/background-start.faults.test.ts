import { setTimeout as delay } from 'node:timers/promises'
import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { redisStore } from 'koa-gatehouse/adapters/redis'
import { describeWithRedis } from '../../support/describe-with-redis.ts'
import { startHost } from '../../support/host.ts'
import { startRedis, type RedisServer } from '../../support/redis-server.ts'
import { until } from '../../support/until.ts'
import { base, endAll, gatehouseOn, open, recordingLogger } from './start-setup.ts'

describeWithRedis('a host that mounts gatehouse before its Redis is available', () => {
  let redis: RedisServer
  const clients: Redis[] = []
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterEach(endAll)
  afterAll(async () => {
    for (const client of clients) client.disconnect()
    await redis?.stop()
  })

  it('while Redis is unavailable, gatehouse logs the failure once, and it starts without a request when Redis is available', async () => {
    await redis.kill()
    const { logger, lines } = recordingLogger()
    const client = new Redis(redis.url, { retryStrategy: () => 50, maxRetriesPerRequest: 0 })
    clients.push(client.on('error', () => {}))
    const store = redisStore(client, { keyPrefix: `${randomUUID()}:` })
    const host = await startHost({
      store,
      gatehouse: { store, logger, storeTimeoutMs: 300, secret: base.secret },
    })
    open.push(host)
    await until(() => expect(lines.length).toBeGreaterThan(0))
    await delay(1500)
    expect(lines).toEqual([
      [
        'warn',
        'gatehouse is still connecting: requests get 503 until it has started',
        { reason: expect.stringMatching(/^Redis cannot be reached|^the store did not answer/) },
      ],
    ])

    await redis.restart()
    await until(async () => expect(await client.keys('*signing-keys:ring')).toHaveLength(1))
    expect(lines).toHaveLength(1)
  })

  it('a start logs nothing if Redis answers within the first second', async () => {
    await redis.restart()
    redis.pause()
    const { logger, lines } = recordingLogger()
    const client = new Redis(redis.url, { maxRetriesPerRequest: 0 })
    clients.push(client.on('error', () => {}))
    const store = redisStore(client, { keyPrefix: `${randomUUID()}:` })
    const gatehouse = gatehouseOn({ store, logger, storeTimeoutMs: 200 })
    gatehouse.middleware()
    await delay(500)
    redis.resume()
    await gatehouse.ready()
    expect(lines).toEqual([])
    await gatehouse.close()
  })

  it('close() logs nothing while Redis is unavailable, even if the host disconnects its Redis client', async () => {
    await redis.kill()
    const { logger, lines } = recordingLogger()
    const client = new Redis(redis.url, { maxRetriesPerRequest: 0 })
    clients.push(client.on('error', () => {}))
    const gatehouse = gatehouseOn({ store: redisStore(client), logger, storeTimeoutMs: 300 })
    gatehouse.middleware()
    await delay(1)
    await gatehouse.close()
    client.disconnect()
    lines.splice(0)
    await delay(500)
    expect(lines).toEqual([])
  })

  it('close() during a start closes all connections of gatehouse to Redis', async () => {
    await redis.restart()
    const { logger, lines } = recordingLogger()
    for (const wait of [0, 2, 5, 10, 20, 40]) {
      // The Redis adapter opens its own connections. They inherit this connection name.
      const client = new Redis(redis.url, { connectionName: 'briefly' })
      clients.push(client.on('error', () => {}))
      const gatehouse = gatehouseOn({ store: redisStore(client), logger })
      gatehouse.middleware()
      await delay(wait)
      await gatehouse.close()
      client.disconnect()
    }
    const observer = new Redis(redis.url)
    clients.push(observer)
    await until(async () => {
      expect(String(await observer.client('LIST'))).not.toContain('name=briefly')
    })
    expect(lines).toEqual([])
  })
})
