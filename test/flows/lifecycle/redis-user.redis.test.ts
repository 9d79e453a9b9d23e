import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Redis } from 'ioredis'
import { createGatehouse } from 'koa-gatehouse'
import { redisStore } from 'koa-gatehouse/adapters/redis'
import { createGateway, type Gateway } from 'koa-gatehouse/gateway'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { kycLevels, products } from '../../fixtures/products.ts'
import { askRedis } from '../../support/ask-redis.ts'
import { describeWithRedis } from '../../support/describe-with-redis.ts'
import { connect as connectApplication, SECRET, startHost, type Host } from '../../support/host.ts'
import { startRedis, type RedisServer } from '../../support/redis-server.ts'
import { principalOf, waitUntilRevoked } from '../revocation/gateway-setup.ts'

const PASSWORD = 'pass-of-a-test'

/** The arguments of each `ACL SETUSER` of docs/redis.md, by the name of the user. */
const DOCUMENTED = new Map(
  [
    ...readFileSync(new URL('../../../docs/redis.md', import.meta.url), 'utf8').matchAll(
      /^redis-cli ACL SETUSER (\w+) ((?:.*\\\n)*.*)$/gm,
    ),
  ].map(([, user = '', rules = '']) => [
    user,
    rules.split(/[\s\\]+/).map((rule) => rule.replace(/^"(.*)"$/, '$1').replace(/\$\w+/, PASSWORD)),
  ]),
)

describeWithRedis('the users of docs/redis.md', () => {
  let redis: RedisServer
  /** A service with the documented rules. Redis has its data and its scripts. */
  let host: Host
  const clients: Redis[] = []
  const cleanups: (() => Promise<unknown>)[] = []

  function connect(options: object = {}): Redis {
    const client = new Redis(redis.port, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      retryStrategy: () => 50,
      ...options,
    })
    client.on('error', () => {})
    clients.push(client)
    return client
  }
  /** Creates a user with the documented rules of `like`, and with further rules. */
  async function createUser(like: string, ...rules: string[]) {
    const username = randomUUID()
    await askRedis(redis, 'ACL', 'SETUSER', username, ...(DOCUMENTED.get(like) ?? []), ...rules)
    return { username, store: redisStore(connect({ username, password: PASSWORD })) }
  }
  function openGateway(store: ReturnType<typeof redisStore>): Gateway {
    const { issuer, audience } = host
    const gateway = createGateway({
      issuer,
      audience,
      products,
      revocations: { store, pollIntervalSeconds: 1 },
    })
    cleanups.push(() => gateway.close())
    return gateway
  }

  beforeAll(async () => {
    redis = await startRedis({ args: ['--appendonly', 'yes'] })
    host = await startHost({ store: (await createUser('gatehouse')).store })
    await host.gatehouse.ready()
  })
  afterEach(async () => {
    for (const cleanUp of cleanups.splice(0)) await cleanUp()
  })
  afterAll(async () => {
    await host?.close()
    for (const client of clients) client.disconnect()
    await redis?.stop()
  })

  it('the documented rules are enough for a service and for a gateway in another process, and both pass every check', async () => {
    const gateway = openGateway((await createUser('gateway')).store)
    await gateway.ready()
    const key = await host.createApiKey(['invoices'])
    const token = String((await host.requestDirectToken(key)).body['access_token'])
    await principalOf(gateway, token)
    const application = await host.createApplication()
    const { refresh_token: refreshToken } = await connectApplication(host, application)
    expect(await host.refresh(application, refreshToken)).toMatchObject({ status: 200 })
    await host.gatehouse.apiKeys.delete(key.client_id)
    await waitUntilRevoked(gateway, token)
    for (const each of [host.gatehouse, gateway]) {
      const { checks } = await each.health()
      expect(checks.filter(({ name, status }) => name.startsWith('store') && status !== 'pass')).toEqual([])
    }
  })

  it.each([
    ['resetchannels', '&0:gatehouse:*'],
    ['-eval', '+eval'],
    ['-zadd', '+zadd'],
    ['-subscribe', '+subscribe'],
  ])(
    'with the rule %s a service does not start on the data of another; health() names the missing rule, and the start continues without a restart',
    async (rule, missing) => {
      const { username, store } = await createUser('gatehouse', rule)
      const gatehouse = createGatehouse({
        issuer: host.issuer,
        audience: host.audience,
        store,
        products,
        kycLevels,
        secret: SECRET,
        startTimeoutMs: 50,
        accounts: { find: (id) => ({ id }), authenticate: () => undefined },
      })
      cleanups.push(() => gatehouse.close())
      gatehouse.ready().catch(() => {})
      const text = `NOPERM, ACL LOG shows what its user may not do, and docs/redis.md lists the rules that are needed. The missing rule: ACL SETUSER <user> ${missing}`
      const startCheck = async () => (await gatehouse.health()).checks.find(({ name }) => name === 'start')
      await vi.waitFor(async () => expect((await startCheck())?.message).toContain(text), { timeout: 20_000 })
      expect(await startCheck()).toMatchObject({ status: 'fail' })
      await askRedis(redis, 'ACL', 'SETUSER', username, missing)
      await gatehouse.ready()
    },
  )

  it('a gateway in another process names the missing rule for channels', async () => {
    const { username, store } = await createUser('gateway', 'resetchannels')
    const gateway = openGateway(store)
    const text = 'The missing rule: ACL SETUSER <user> &0:gatehouse:*'
    await expect(gateway.ready()).rejects.toThrow(text)
    const { checks } = await gateway.health()
    expect(checks.find(({ name }) => name === 'start')).toMatchObject({
      status: 'fail',
      message: expect.stringContaining(text) as string,
    })
    await askRedis(redis, 'ACL', 'SETUSER', username, '&0:gatehouse:*')
    await gateway.ready()
  })
})
