import { setTimeout as delay } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { redisStore } from 'koa-gatehouse/adapters/redis'
import { createLimits } from '../../../src/limits.ts'
import { startHost, type Host } from '../../support/host.ts'
import { startRedis, type RedisServer } from '../../support/redis-server.ts'

/** The longest that a call may take while Redis is frozen; the calls themselves wait for 300 ms at most. */
const MAX_MS = 900

/** Starts a host with limits on a Redis of its own for each test. Call it in `describe`. */
export function limitsOnRedis() {
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

  return {
    tokenOf,
    client: () => client,
    host: () => host,
    /** Defines the test that calls stay fast while Redis is frozen. */
    itStaysFast(frozenMs: number): void {
      it(
        'while Redis is frozen, all calls are answered quickly, also of clients that have not called before',
        async () => {
          const keys = await Promise.all(Array.from({ length: 8 }, () => host.createApiKey(['invoices'])))
          const tokens = await Promise.all(keys.map(tokenOf))
          await host.call('GET /invoices/list', tokens[0])
          redis.pause()
          const until = performance.now() + frozenMs
          let longest = 0
          while (performance.now() < until) {
            for (const token of tokens) {
              const began = performance.now()
              expect((await host.call('GET /invoices/list', token)).status).toBe(200)
              longest = Math.max(longest, performance.now() - began)
            }
            await delay(200)
          }
          console.info(`limits on a frozen Redis: the longest call took ${Math.round(longest)} ms`)
          expect(longest).toBeLessThan(MAX_MS)
          redis.resume()
          await vi.waitFor(async () => {
            const { checks } = await host.gatehouse.health()
            await host.call('GET /invoices/list', tokens[0])
            expect(checks.find(({ name }) => name === 'limits')?.status).toBe('pass')
          }, 20_000)
        },
        frozenMs + 60_000,
      )
    },
  }
}
