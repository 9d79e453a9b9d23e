import { setTimeout as delay } from 'node:timers/promises'
import { randomUUID } from 'node:crypto'
import { Redis, type RedisOptions } from 'ioredis'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { redisStore } from 'koa-gatehouse/adapters/redis'
import type { Page } from '../../support/browser.ts'
import { authorizationUrl, connect, startHost, type Host } from '../../support/host.ts'
import { basic } from '../../support/host-requests.ts'
import { describeWithRedis } from '../../support/describe-with-redis.ts'
import { startRedis, type RedisServer } from '../../support/redis-server.ts'

type Answer = Awaited<ReturnType<Host['token']>>

/**
 * Milliseconds within which a request must be answered while Redis is unavailable. After the outage, requests
 * must succeed again within the same time.
 */
const LIMIT_MS = 2000

const CLIENTS: Readonly<Record<string, RedisOptions>> = {
  'a client with the default settings of ioredis': {},
  'a client with the recommended settings': {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(attempt * 50, 500),
  },
}

/** Ways to make Redis unavailable and available again. */
const OUTAGES = {
  stopped: { begin: (redis: RedisServer) => redis.kill(), end: (redis: RedisServer) => redis.restart() },
  frozen: {
    begin: async (redis: RedisServer) => redis.pause(),
    end: async (redis: RedisServer) => redis.resume(),
  },
} as const

async function timed<T>(work: Promise<T>): Promise<{ took: number; result: T }> {
  const start = performance.now()
  const result = await work
  return { took: performance.now() - start, result }
}

async function expectUnavailable(request: Promise<Answer>): Promise<void> {
  const { took, result } = await timed(request)
  expect(result.status).toBe(503)
  expect(result.headers.get('retry-after')).toBe('1')
  expect(result.headers.get('cache-control')).toBe('no-store')
  expect(result.body).toMatchObject({ error: 'temporarily_unavailable' })
  expect(took).toBeLessThan(LIMIT_MS)
}

async function expectUnavailablePage(request: Promise<Page>): Promise<void> {
  const { took, result } = await timed(request)
  expect(result.status).toBe(503)
  expect(result.headers.get('retry-after')).toBe('1')
  expect(result.headers.get('cache-control')).toBe('no-store')
  expect(result.headers.get('content-type')).toMatch(/^text\/html/)
  expect(took).toBeLessThan(LIMIT_MS)
}

/** Repeats a request until it succeeds, for at most five seconds. Returns the milliseconds that this took. */
async function untilServed(request: () => Promise<{ status: number }>): Promise<number> {
  const start = performance.now()
  while ((await request()).status !== 200) {
    if (performance.now() - start > 5000) break
    await delay(50)
  }
  return performance.now() - start
}

describeWithRedis('an unavailable Redis', () => {
  let redis: RedisServer
  let client: Redis
  let host: Host

  beforeAll(async () => {
    // Redis writes its data to disk, so that the data survives a restart.
    redis = await startRedis({ args: ['--appendonly', 'yes', '--appendfsync', 'always'] })
  })
  afterEach(async () => {
    await host.close()
    client.disconnect()
    // A failed test may have left Redis frozen.
    redis.resume()
  })
  afterAll(() => redis?.stop())

  async function open(options: RedisOptions): Promise<void> {
    client = new Redis(redis.port, options)
    client.on('error', () => {})
    host = await startHost({ store: redisStore(client, { keyPrefix: `${randomUUID()}:` }) })
  }

  describe.each(Object.entries(CLIENTS))('a host on %s', (_name, options) => {
    it.each(Object.entries(OUTAGES))(
      'while Redis is %s, requests get 503 within 2 seconds, the gateway still accepts tokens, and requests succeed again after the outage',
      async (_outage, { begin, end }) => {
        await open(options)
        await host.gatehouse.ready()
        const [key, application] = [await host.createApiKey(), await host.createApplication()]
        const direct = { ...key, grant_type: 'client_credentials' }
        // A client in the cache would still get tokens for some seconds. So the test uses a client that is
        // not cached.
        const notCached = { ...direct, ...(await host.createApiKey()) }
        const [seen, unseen] = [await host.token(direct), await host.token(direct)]
        const seenToken = String(seen.body['access_token'])
        expect((await host.call('GET /invoices/list', seenToken)).status).toBe(200)
        const browser = host.browser()
        const { refresh_token } = await connect(host, application, { browser })
        const authorization = authorizationUrl(host, application.client_id)
        const refresh = { ...application, grant_type: 'refresh_token', refresh_token }

        await begin(redis)
        await Promise.all([
          expectUnavailable(host.token(notCached)),
          expectUnavailable(host.token(refresh)),
          expectUnavailablePage(host.browser().open(authorization)),
          expectUnavailablePage(browser.open(authorization)),
        ])

        // The circuit breaker is open by now, so requests no longer wait for Redis.
        const rejectedAtOnce = await timed(
          Promise.all([
            expectUnavailable(host.token(refresh)),
            expectUnavailable(host.post('/oauth2/introspect', { token: refresh_token }, basic(application))),
            expectUnavailable(host.post('/oauth2/revoke', { token: refresh_token }, basic(application))),
            expectUnavailablePage(host.browser().open(authorization)),
            expectUnavailablePage(browser.open(authorization)),
          ]),
        )
        expect(rejectedAtOnce.took).toBeLessThan(500)

        const { took } = await timed(
          (async () => {
            expect((await host.call('GET /invoices/list', seenToken)).status).toBe(200)
            const unseenToken = String(unseen.body['access_token'])
            expect((await host.call('GET /invoices/list', unseenToken)).status).toBe(200)
            expect((await host.call('GET /invoices/list', `${unseenToken}x`)).status).toBe(401)
            expect((await fetch(`${host.issuer}/oauth2/jwks`)).status).toBe(200)
            expect((await fetch(`${host.issuer}/.well-known/openid-configuration`)).status).toBe(200)
          })(),
        )
        expect(took).toBeLessThan(1000)

        await end(redis)
        expect(await untilServed(() => host.token(notCached))).toBeLessThan(LIMIT_MS)
        const refreshed = await host.token(refresh)
        expect(refreshed.status).toBe(200)
        const next = { ...refresh, refresh_token: String(refreshed.body['refresh_token']) }
        expect((await host.token(next)).status).toBe(200)
        expect(host.errors).toEqual([])
      },
    )

    it('if Redis is unavailable at the start, the app runs and requests get 503, and requests succeed when Redis is available', async () => {
      await redis.kill()
      await open(options)
      const body = { client_id: 'x', client_secret: 'y', grant_type: 'client_credentials' }
      await expectUnavailable(host.token(body))
      expect((await fetch(`${host.origin}/a-page-of-the-host`)).status).toBe(200)
      const { took } = await timed(
        expect(host.gatehouse.ready({ timeoutMs: 300 })).rejects.toMatchObject({
          name: 'GatehouseError',
          code: 'ERR_STORE_UNAVAILABLE',
        }),
      )
      expect(took).toBeLessThan(1000)

      const ready = host.gatehouse.ready()
      await redis.restart()
      const { took: backAfter } = await timed(ready)
      // The first start also generates signing keys, which takes seconds on a busy machine.
      expect(backAfter).toBeLessThan(4 * LIMIT_MS)
      expect((await host.token(body)).body).toMatchObject({ error: 'invalid_client' })
      const key = await host.createApiKey()
      expect((await host.requestDirectToken(key)).status).toBe(200)
    })
  })
})
