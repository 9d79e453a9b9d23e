import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { Redis } from 'ioredis'
import { redisStore } from 'koa-gatehouse/adapters/redis'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { describeWithRedis } from '../../support/describe-with-redis.ts'
import { startHost, type Host } from '../../support/host.ts'
import { startRedis, type RedisServer } from '../../support/redis-server.ts'
import { checkOf, expectReadable, listOf, uncachedHealth } from './health-checks.ts'

describeWithRedis('health() on Redis', () => {
  let host: Host | undefined
  let redis: RedisServer
  let client: Redis
  beforeAll(async () => {
    redis = await startRedis({ args: ['--appendonly', 'yes'] })
  })
  afterEach(async () => {
    redis.resume()
    await host?.close()
    client.disconnect()
  })
  afterAll(() => redis?.stop())

  async function openOnRedis(): Promise<Host> {
    client = new Redis(`redis://default:pass-of-a-test@127.0.0.1:${redis.port}`, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
    })
    client.on('error', () => {})
    await once(client, 'ready')
    host = await startHost({ store: redisStore(client, { keyPrefix: `${randomUUID()}:` }) })
    await host.gatehouse.ready()
    return host
  }

  it('a Redis with good settings passes every check of health()', async () => {
    const { gatehouse } = await openOnRedis()
    // On a busy machine, one answer of Redis may take longer than `store.latency` permits.
    const health = await vi.waitFor(async () => {
      const read = await uncachedHealth(gatehouse)
      expect(read.status).toBe('pass')
      return read
    }, 5000)
    expectReadable(health)
    expect(listOf(health)).toEqual([
      'start pass',
      'store pass',
      'store.latency pass',
      'store.clock pass',
      'store.writes pass',
      'store.eviction pass',
      'store.persistence pass',
      'store.replicas pass',
      'store.version pass',
      'store.records pass',
      'signing-keys pass',
      'products pass',
      'revocations pass',
    ])
    expect(health.ready).toBe(true)
  })

  it('health() fails within the timeout while Redis is frozen and passes when Redis continues, and the gateway stays ready', async () => {
    const { gatehouse } = await openOnRedis()
    redis.pause()
    const from = performance.now()
    const [health, gateway] = await Promise.all([gatehouse.health(), gatehouse.gateway.health()])
    expect(performance.now() - from).toBeLessThan(1500)
    expectReadable(health)
    expect(health).toMatchObject({ ready: false, status: 'fail' })
    expect(checkOf(health, 'store')).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('did not answer within 1000 ms'),
    })
    expect(gateway).toMatchObject({ ready: true, status: 'fail' })
    redis.resume()
    await vi.waitFor(async () => expect(await uncachedHealth(gatehouse)).toMatchObject({ ready: true }), 5000)
  })

  it('after Redis was killed, health() fails and does not show the password of Redis', async () => {
    const { gatehouse } = await openOnRedis()
    await redis.kill()
    const health = await gatehouse.health()
    expectReadable(health)
    expect(health).toMatchObject({ ready: false, status: 'fail' })
    expect(JSON.stringify(health)).not.toContain('pass-of-a-test')
    await redis.restart()
    await vi.waitFor(async () => expect(await uncachedHealth(gatehouse)).toMatchObject({ ready: true }), 5000)
  })
})
