import { Redis } from 'ioredis'
import { redisStore } from 'koa-gatehouse/adapters/redis'
import { createGateway, type Gateway } from 'koa-gatehouse/gateway'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { describeWithRedis } from '../../support/describe-with-redis.ts'
import { products } from '../../fixtures/products.ts'
import { SECRET, startHost, type Host } from '../../support/host.ts'
import { startRedis, type RedisServer } from '../../support/redis-server.ts'

vi.mock('../../../src/keys/generate-key.ts', async (original) =>
  (await import('../../support/quick-keys.ts')).withQuickKeys(original),
)

const RING = 'gatehouse:signing-keys:ring'

/** What deletes what, and what health says about it in processes that went on. */
const LOSSES: Record<string, { lose: (redis: Redis) => Promise<unknown>; named: string }> = {
  FLUSHALL: {
    lose: (redis) => redis.flushall(),
    named: 'has lost the signing keys and the revocation log',
  },
  'DEL of the key ring': {
    lose: (redis) => redis.del(RING),
    named: 'has lost the signing keys, but not the revocation log',
  },
  'DEL of the revocation log': {
    lose: async (redis) => redis.del(await redis.keys('gatehouse:revocations:*')),
    named: 'has lost the revocation log, but not the signing keys',
  },
}

describeWithRedis('a Redis that loses data', () => {
  let server: RedisServer
  let redis: Redis
  let hosts: Host[]
  let gateway: Gateway
  let port: number
  let key: { client_id: string; client_secret: string }
  let backup: string[]
  const clients: Redis[] = []

  function connect(): Redis {
    const client = new Redis(server.port, '127.0.0.1')
    clients.push(client)
    return client
  }
  async function open(its: { port?: number; origin?: string } = {}): Promise<Host> {
    // With its own secret a test host makes keys of its own.
    const host = await startHost({ ...its, gatehouse: { secret: SECRET, store: redisStore(connect()) } })
    await host.gatehouse.ready()
    return host
  }
  async function openBoth(): Promise<void> {
    const one = await open(port ? { port } : {})
    ;({ port } = one)
    hosts = [one, await open({ origin: one.origin })]
  }

  beforeAll(async () => {
    server = await startRedis()
    redis = connect()
  })
  beforeEach(async () => {
    await redis.flushall()
    port = 0
    await openBoth()
    const [one] = hosts as [Host]
    const resourceServer = await one.createApiKey([])
    await one.gatehouse.apiKeys.setResourceServer(resourceServer.client_id, true)
    key = await one.createApiKey()
    gateway = createGateway({
      issuer: one.issuer,
      audience: one.audience,
      products,
      jwksCooldownSeconds: 1,
      revocations: {
        clientId: resourceServer.client_id,
        clientSecret: resourceServer.client_secret,
        pollIntervalSeconds: 1,
      },
    })
    await gateway.ready()
    backup = []
    for await (const line of one.gatehouse.exportRegistry()) backup.push(line)
  })
  afterEach(async () => {
    await gateway.close()
    await Promise.all(hosts.map((host) => host.close()))
  })
  afterAll(async () => {
    for (const client of clients) client.disconnect()
    await server.stop()
  })

  async function tokenAt(host: Host): Promise<string> {
    const at = `http://localhost:${host.port}/auth/oauth2/token`
    const { status, body } = await host.post(at, { ...key, grant_type: 'client_credentials' })
    expect(status).toBe(200)
    return String(body['access_token'])
  }
  async function statuses(token: string): Promise<number[]> {
    const headers = { authorization: `Bearer ${token}` }
    const [one, other] = await Promise.all(
      hosts.map((host) => fetch(`http://localhost:${host.port}/api/invoices/list`, { headers })),
    )
    const outcome = await gateway.authenticate({ method: 'GET', url: '/api/invoices/list', headers })
    return [one?.status ?? 0, other?.status ?? 0, outcome.ok ? 200 : outcome.status]
  }
  const settlesWithin = (token: string, status: number) =>
    vi.waitFor(async () => expect(await statuses(token)).toEqual([status, status, status]), {
      timeout: 8000,
      interval: 100,
    })

  async function checkAfterLoss(revoked: string, good: string): Promise<void> {
    const [one, other] = hosts as [Host, Host]
    expect(await statuses(revoked)).toEqual([401, 401, 401])
    const { conflicts } = await one.gatehouse.importRegistry(backup, { signingKeys: false })
    expect(conflicts).toEqual([])
    for (const host of [one, other]) await settlesWithin(await tokenAt(host), 200)
    // A gateway in another process may know a token from before: at most ten minutes if nobody knows the old keys.
    await vi.waitFor(async () => expect((await statuses(good)).slice(0, 2)).toEqual([401, 401]))
    expect(await statuses(revoked)).toEqual([401, 401, 401])
  }

  test.each(Object.entries(LOSSES))(
    'by %s under running processes keeps revoked tokens rejected, and new tokens work soon',
    async (_, { lose, named }) => {
      const [one] = hosts as [Host]
      const [revoked, good] = [await tokenAt(one), await tokenAt(one)]
      await settlesWithin(revoked, 200)
      await settlesWithin(good, 200)
      await one.gatehouse.tokens.revoke(revoked)
      await settlesWithin(revoked, 401)
      await lose(redis)
      // Each process looks once a minute, and when it is asked.
      await one.gatehouse.signingKeys.list()
      await checkAfterLoss(revoked, good)
      await settlesWithin(good, 401)
      for (const host of hosts) {
        await vi.waitFor(async () => {
          const { checks } = await host.gatehouse.health()
          expect(checks.find(({ name }) => name === 'signing-keys')).toMatchObject({
            status: 'warning',
            message: expect.stringContaining(named),
            fix: expect.stringContaining('signingKeys: false'),
          })
        })
      }
    },
    30_000,
  )

  test.each(Object.entries(LOSSES))(
    'by %s and a restart of the processes keeps revoked tokens rejected, and new tokens work soon',
    async (_, { lose }) => {
      const [one] = hosts as [Host]
      const [revoked, good] = [await tokenAt(one), await tokenAt(one)]
      await settlesWithin(good, 200)
      await one.gatehouse.tokens.revoke(revoked)
      await settlesWithin(revoked, 401)
      await Promise.all(hosts.map((host) => host.close()))
      await lose(redis)
      await openBoth()
      await checkAfterLoss(revoked, good)
    },
    30_000,
  )
})
