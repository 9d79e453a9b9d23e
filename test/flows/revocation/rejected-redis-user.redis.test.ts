import { Redis, type RedisOptions } from 'ioredis'
import { createGateway, type Gateway } from 'koa-gatehouse/gateway'
import { redisStore } from 'koa-gatehouse/adapters/redis'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { products } from '../../fixtures/products.ts'
import { describeWithRedis } from '../../support/describe-with-redis.ts'
import { startHost, type Host } from '../../support/host.ts'
import { startRedis, type RedisServer } from '../../support/redis-server.ts'
import { principalOf } from './gateway-setup.ts'

const RECOMMENDED: RedisOptions = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  retryStrategy: (attempt) => Math.min(attempt * 50, 500),
}

const ALLOWED = ['on', '>right', '~*', '&*', '+@all'] as const

describeWithRedis('a gateway whose user Redis rejects', () => {
  let redis: RedisServer
  let admin: Redis
  let host: Host
  let gateway: Gateway
  const clients: Redis[] = []
  const connect = (options: object) => {
    const client = new Redis(redis.port, { ...RECOMMENDED, ...options })
    client.on('error', () => {})
    clients.push(client)
    return client
  }
  /** Changes the user of the gateway, and closes its connections. */
  const setUser = async (...rules: string[]) => {
    await admin.call('ACL', 'SETUSER', 'gateway', 'reset', ...rules)
    await admin.call('CLIENT', 'KILL', 'USER', 'gateway')
  }

  beforeAll(async () => {
    redis = await startRedis()
    admin = connect({})
    host = await startHost({ store: redisStore(admin) })
  }, 60_000)
  beforeEach(async () => {
    await setUser(...ALLOWED)
    await gateway?.close()
    const client = connect({ username: 'gateway', password: 'right' })
    gateway = createGateway({
      issuer: host.issuer,
      audience: host.audience,
      products,
      revocations: { store: redisStore(client), pollIntervalSeconds: 1 },
    })
    await gateway.ready()
  })
  afterAll(async () => {
    await gateway?.close()
    await host?.close()
    for (const client of clients) client.disconnect()
    await redis?.stop()
  })

  it.each([
    ['NOPERM', ['on', '>right', '~*', '&*', '+@all', '-zrangebylex', '-zrange'], 'revocations'],
    ['WRONGPASS', ['on', '>another', '~*', '&*', '+@all'], 'store'],
  ])(
    '%s is a check that fails and names the remedy, while calls are accepted with whenStale serve; the gateway continues without a restart',
    async (rejection, rules, name) => {
      const { body } = await host.requestDirectToken(await host.createApiKey(['invoices']))
      const token = String(body['access_token'])
      await principalOf(gateway, token)
      await setUser(...rules)
      const isReported = async () =>
        expect((await gateway.health()).checks).toContainEqual(
          expect.objectContaining({
            name,
            status: 'fail',
            message: expect.stringContaining(rejection),
            remedy: expect.any(String),
          }),
        )
      await vi.waitFor(isReported, { timeout: 5000, interval: 100 })
      // Longer than three poll intervals.
      const ageOf = async () => (await gateway.health()).revocations.ageSeconds
      await vi.waitFor(async () => expect(await ageOf()).toBeGreaterThan(3.5), 8000)
      await principalOf(gateway, token)
      await isReported()
      await setUser(...ALLOWED)
      await vi.waitFor(async () => expect((await gateway.health()).revocations.stale).toBe(false), 5000)
    },
    30_000,
  )
})
