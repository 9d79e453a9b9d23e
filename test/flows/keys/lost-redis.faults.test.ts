import { Redis } from 'ioredis'
import { redisStore } from 'koa-gatehouse/adapters/redis'
import { createGateway, type Gateway } from 'koa-gatehouse/gateway'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { describeWithRedis } from '../../support/describe-with-redis.ts'
import { products } from '../../fixtures/products.ts'
import { SECRET, startHost, type Host } from '../../support/host.ts'
import { startRedis, type RedisServer } from '../../support/redis-server.ts'
import { exportRegistry, importRegistry } from '../../../src/backup.ts'

const RING = 'gatehouse:signing-keys:ring'

/** Ways in which Redis loses data. `message` is what `health()` reports in a process that kept running. */
const LOSSES: Record<string, { lose: (redis: Redis) => Promise<unknown>; message: string }> = {
  FLUSHALL: {
    lose: (redis) => redis.flushall(),
    message: 'has lost the signing keys and the revocation log',
  },
  'DEL of the key ring': {
    lose: (redis) => redis.del(RING),
    message: 'has lost the signing keys, but not the revocation log',
  },
  'DEL of the revocation log': {
    lose: async (redis) => redis.del(await redis.keys('gatehouse:revocations:*')),
    message: 'has lost the revocation log, but not the signing keys',
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
  async function open(address: { port?: number; origin?: string } = {}): Promise<Host> {
    // A test host with `gatehouse.secret` generates its own signing keys.
    const host = await startHost({ ...address, gatehouse: { secret: SECRET, store: redisStore(connect()) } })
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
      revocations: {
        clientId: resourceServer.client_id,
        clientSecret: resourceServer.client_secret,
        pollIntervalSeconds: 1,
      },
    })
    // The gateway fetches unknown keys at most once in 30 seconds, so it fetches its first keys before that.
    const now = Date.now()
    const clock = vi.spyOn(Date, 'now').mockReturnValue(now - 31_000)
    await gateway.ready()
    clock.mockRestore()
    backup = []
    for await (const line of exportRegistry(one.gatehouse)) backup.push(line)
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
  const untilEverywhere = (token: string, status: number) =>
    vi.waitFor(async () => expect(await statuses(token)).toEqual([status, status, status]), {
      timeout: 8000,
      interval: 100,
    })

  async function checkAfterLoss(revoked: string, beforeLoss: string): Promise<void> {
    const [one, other] = hosts as [Host, Host]
    expect(await statuses(revoked)).toEqual([401, 401, 401])
    const { conflicts } = await importRegistry(one.gatehouse, backup, { signingKeys: false })
    expect(conflicts).toEqual([])
    for (const host of [one, other]) await untilEverywhere(await tokenAt(host), 200)
    // After the loss of the old keys, a gateway in another process accepts a cached token for up to ten
    // minutes. The third status is the status of that gateway, so this check covers only the first two.
    await vi.waitFor(async () => expect((await statuses(beforeLoss)).slice(0, 2)).toEqual([401, 401]))
    expect(await statuses(revoked)).toEqual([401, 401, 401])
  }

  it.each(Object.entries(LOSSES))(
    'if %s causes a data loss while the processes run, revoked tokens stay rejected, and new tokens work soon',
    async (_, { lose, message }) => {
      const [one] = hosts as [Host]
      const [revoked, valid] = [await tokenAt(one), await tokenAt(one)]
      await untilEverywhere(revoked, 200)
      await untilEverywhere(valid, 200)
      await one.gatehouse.tokens.revoke(revoked)
      await untilEverywhere(revoked, 401)
      await lose(redis)
      // Each process checks its signing keys once a minute, and at each call of `list()`.
      await one.gatehouse.signingKeys.list()
      await checkAfterLoss(revoked, valid)
      await untilEverywhere(valid, 401)
      for (const host of hosts) {
        await vi.waitFor(async () => {
          const { checks } = await host.gatehouse.health()
          expect(checks.find(({ name }) => name === 'signing-keys')).toMatchObject({
            status: 'warn',
            message: expect.stringContaining(message),
            remedy: expect.stringContaining('signingKeys: false'),
          })
        })
      }
    },
  )

  it('if Redis lost all data while no process ran, revoked tokens stay rejected after the restart, and new tokens work soon', async () => {
    const [one] = hosts as [Host]
    const [revoked, valid] = [await tokenAt(one), await tokenAt(one)]
    await untilEverywhere(valid, 200)
    await one.gatehouse.tokens.revoke(revoked)
    await untilEverywhere(revoked, 401)
    await Promise.all(hosts.map((host) => host.close()))
    await redis.flushall()
    await openBoth()
    await checkAfterLoss(revoked, valid)
  })
})
