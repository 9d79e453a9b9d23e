import { setTimeout as delay } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { redisStore } from 'koa-gatehouse/adapters/redis'
import { createLimits } from '../../../src/limits.ts'
import { describeWithRedis } from '../../support/describe-with-redis.ts'
import { startHost, type Host } from '../../support/host.ts'
import { startRedis, type RedisServer } from '../../support/redis-server.ts'

const FROZEN_MS = 3000
/** The longest that a call may take while Redis is frozen; the calls themselves wait for 300 ms at most. */
const MAX_MS = 900

describeWithRedis('limits on a Redis that fails', () => {
  let redis: RedisServer
  let client: Redis
  let host: Host
  beforeEach(async () => {
    redis = await startRedis()
    client = new Redis(redis.port, { enableOfflineQueue: false, maxRetriesPerRequest: 0 })
    client.on('error', () => {})
    await new Promise((resolve) => client.once('ready', resolve))
    host = await startHost({
      store: redisStore(client),
      mount(app, gatehouse) {
        createLimits(gatehouse, { perMinute: 100_000 })
        app.use(gatehouse.middleware())
        app.use(gatehouse.gateway.middleware())
      },
    })
  })
  afterEach(async () => {
    redis.resume()
    await host.close()
    client.disconnect()
    await redis.stop()
  })

  const tokenOf = async (key: { client_id: string; client_secret: string }) =>
    String((await host.requestDirectToken(key)).body['access_token'])

  it('while Redis is frozen, all calls are answered quickly, also of clients that have not called before', async () => {
    const keys = await Promise.all(Array.from({ length: 8 }, () => host.createApiKey(['invoices'])))
    const tokens = await Promise.all(keys.map(tokenOf))
    await host.call('GET /invoices/list', tokens[0])
    redis.pause()
    const until = performance.now() + FROZEN_MS
    let longest = 0
    while (performance.now() < until) {
      for (const token of tokens) {
        const began = performance.now()
        expect((await host.call('GET /invoices/list', token)).status).toBe(200)
        longest = Math.max(longest, performance.now() - began)
      }
      await delay(100)
    }
    expect(longest).toBeLessThan(MAX_MS)
    redis.resume()
    await vi.waitFor(async () => {
      const { checks } = await host.gatehouse.health()
      await host.call('GET /invoices/list', tokens[0])
      expect(checks.find(({ name }) => name === 'limits')?.status).toBe('pass')
    }, 20_000)
  })

  it('if Redis rejects only the counters, the rest of the store stays available', async () => {
    const key = await host.createApiKey(['invoices'])
    const token = await tokenOf(key)
    await client.call('ACL', 'SETUSER', 'default', '-time')
    for (let call = 0; call < 100; call += 1) {
      expect((await host.call('GET /invoices/list', token)).status).toBe(200)
      if (call % 10 === 0) expect(await host.gatehouse.apiKeys.find(key.client_id)).toBeDefined()
    }
  })
})
