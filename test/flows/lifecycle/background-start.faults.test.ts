// Also runs on: Redis
import { setTimeout as delay } from 'node:timers/promises'
import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import Koa from 'koa'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { createGatehouse, type Gatehouse, type GatehouseOptions, type Logger } from 'koa-gatehouse'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { redisStore } from 'koa-gatehouse/adapters/redis'
import { createGateway, type Gateway } from 'koa-gatehouse/gateway'
import { createTestIssuer, type TestIssuer } from 'koa-gatehouse/testing'
import { describeWithRedis } from '../../support/describe-with-redis.ts'
import { products } from '../../fixtures/products.ts'
import { startHost } from '../../support/host.ts'
import { startRedis, type RedisServer } from '../../support/redis-server.ts'
import { describeEachStore } from '../../support/stores.ts'
import { until } from '../../support/until.ts'

type Line = readonly [level: keyof Logger, message: string, details: object]

/** Makes a logger that records warnings and errors in `lines`. */
function recordingLogger(): { logger: Logger; lines: Line[] } {
  const lines: Line[] = []
  const record = (level: keyof Logger) => (details: object, message: string) =>
    void lines.push([level, message, details])
  return { logger: { debug() {}, info() {}, warn: record('warn'), error: record('error') }, lines }
}

const base = {
  issuer: 'http://localhost:3000/auth',
  audience: 'http://localhost:3000/api',
  secret: 'a secret for tests, long enough to be one',
  kycLevels: ['none', 'basic', 'verified'],
  products,
  accounts: { find: (accountId: string) => ({ id: accountId }) },
} as const

/** Ways to mount gatehouse. Each entry mounts one middleware and does nothing else. */
const MOUNTS: Readonly<Record<string, (gatehouse: Gatehouse) => unknown>> = {
  'middleware()': (gatehouse) => gatehouse.middleware(),
  'wellKnown()': (gatehouse) => gatehouse.wellKnown(),
  'gateway.middleware()': (gatehouse) => gatehouse.gateway.middleware(),
  'gateway.requireScope()': (gatehouse) => gatehouse.gateway.requireScope('invoices:read'),
  'gateway.wellKnown()': (gatehouse) => gatehouse.gateway.wellKnown(),
}

const open: { close(): Promise<void> }[] = []
const rejections: unknown[] = []
const rejected = (reason: unknown) => void rejections.push(reason)

beforeAll(() => void process.on('unhandledRejection', rejected))
afterAll(() => void process.off('unhandledRejection', rejected))
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()))
  await delay(20)
  expect(rejections.splice(0)).toEqual([])
})

function gatehouseOn(options: Pick<GatehouseOptions, 'store'> & Partial<GatehouseOptions>): Gatehouse {
  const gatehouse: Gatehouse = createGatehouse({ ...base, ...(options as object) } as never)
  open.push(gatehouse)
  return gatehouse
}

describeEachStore('the background start of the service', (makeStore) => {
  it.each(Object.entries(MOUNTS))('%s starts the service without a request', async (_name, mount) => {
    const data = randomUUID()
    mount(gatehouseOn({ store: makeStore(data) }))
    await until(async () => expect(await makeStore(data).get('signing-keys:ring')).toBeDefined())
  })

  it('createGatehouse() alone does not start the service', async () => {
    const data = randomUUID()
    gatehouseOn({ store: makeStore(data) })
    await delay(100)
    expect(await makeStore(data).get('signing-keys:ring')).toBeUndefined()
  })

  it('a wrong secret is logged immediately, and only once', async () => {
    const data = randomUUID()
    const before = gatehouseOn({ store: makeStore(data) })
    await before.ready()
    await before.close()
    const { logger, lines } = recordingLogger()
    const gatehouse = gatehouseOn({
      store: makeStore(data),
      secret: 'another secret, also long enough',
      logger,
    })
    gatehouse.middleware()
    gatehouse.gateway.middleware()
    await until(() => expect(lines).toHaveLength(1))
    expect(lines[0]).toMatchObject(['error', expect.any(String), { err: { code: 'ERR_SECRET_MISMATCH' } }])
    await expect(gatehouse.ready()).rejects.toMatchObject({ code: 'ERR_SECRET_MISMATCH' })
    await expect(gatehouse.gateway.ready()).rejects.toMatchObject({ code: 'ERR_SECRET_MISMATCH' })
    await gatehouse.gateway.authenticate({ method: 'GET', url: '/api/invoices/list', headers: {} })
    expect(lines).toHaveLength(1)
  })

  it('if the products cannot be loaded, the failure is logged, and ready() loads the products again', async () => {
    const { logger, lines } = recordingLogger()
    const load = vi.fn(async () => products).mockRejectedValueOnce(new Error('no such table'))
    const gatehouse = gatehouseOn({ store: makeStore(), products: load, logger })
    gatehouse.middleware()
    const expected = ['error', expect.any(String), { err: { code: 'ERR_CATALOG' } }]
    await until(() => expect(lines).toMatchObject([expected]))
    await gatehouse.ready()
    expect(lines).toHaveLength(1)
  })

  it('close() right after mounting succeeds and logs nothing', async () => {
    const { logger, lines } = recordingLogger()
    for (const wait of [0, 1, 5, 20]) {
      const gatehouse = gatehouseOn({ store: makeStore(), logger })
      gatehouse.middleware()
      gatehouse.gateway.middleware()
      if (wait > 0) await delay(wait)
      await gatehouse.close()
    }
    await delay(200)
    expect(lines).toEqual([])
  })
})

it('gatehouse loads the products only after the synchronous code that mounts the middleware has ended', async () => {
  let isDefined = false
  const load = vi.fn(async () => {
    expect(isDefined).toBe(true)
    return products
  })
  gatehouseOn({ store: memoryStore(), products: load }).middleware()
  isDefined = true
  await until(() => expect(load).toHaveBeenCalledOnce())
})

describeWithRedis('a host that mounts gatehouse before its Redis is available', () => {
  let redis: RedisServer
  const clients: Redis[] = []
  beforeAll(async () => {
    redis = await startRedis()
  })
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

  it('a start on a new Redis client without an offline queue logs nothing', async () => {
    await redis.restart()
    const { logger, lines } = recordingLogger()
    const client = new Redis(redis.url, { enableOfflineQueue: false, maxRetriesPerRequest: 0 })
    clients.push(client)
    const gatehouse = gatehouseOn({ store: redisStore(client, { keyPrefix: `${randomUUID()}:` }), logger })
    gatehouse.middleware()
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

describe('the background start of a gateway in another process', () => {
  let issuer: TestIssuer
  beforeAll(async () => {
    issuer = await createTestIssuer({ audience: base.audience })
  })
  afterAll(() => issuer.close())

  function gatewayOf(options: {
    jwksUri?: string
    logger?: Logger
    load?: () => Promise<typeof products>
  }): Gateway {
    const { jwksUri, logger, load = async () => products } = options
    const gateway = createGateway({
      issuer: issuer.issuer,
      audience: base.audience,
      products: load,
      ...(jwksUri !== undefined && { jwksUri }),
      ...(logger && { logger }),
    })
    open.push(gateway)
    return gateway
  }

  const mounts = {
    'middleware()': (gateway: Gateway) => gateway.middleware(),
    'requireScope()': (gateway: Gateway) => gateway.requireScope('invoices:read'),
    'wellKnown()': (gateway: Gateway) => gateway.wellKnown(),
  }

  it.each(Object.entries(mounts))(
    '%s of a gateway in another process fetches keys and products without a request',
    async (_name, mount) => {
      const load = vi.fn(async () => products)
      const fetched = vi.spyOn(globalThis, 'fetch')
      mount(gatewayOf({ load }))
      await until(() => expect(load).toHaveBeenCalledOnce())
      await until(() => expect(fetched).toHaveBeenCalledOnce())
      expect(fetched.mock.calls[0]?.[0]).toBe(issuer.jwksUri)
      fetched.mockRestore()
    },
  )

  it('a gateway that cannot fetch the keys logs the failure once, even if ready() is called several times', async () => {
    const { logger, lines } = recordingLogger()
    const gateway = gatewayOf({ jwksUri: 'http://127.0.0.1:1/jwks', logger })
    const app = new Koa()
    app.use(gateway.middleware())
    const isNotReady = ([, message]: Line) => message.startsWith('the gateway is still connecting')
    await until(() => expect(lines.filter(isNotReady)).toHaveLength(1))
    for (let count = 0; count < 3; count += 1) await expect(gateway.ready()).rejects.toThrow()
    expect(lines.filter(isNotReady)).toHaveLength(1)
    expect(lines.length).toBeLessThanOrEqual(2)
  })

  it('close() of a gateway right after mounting succeeds and logs nothing', async () => {
    const { logger, lines } = recordingLogger()
    for (const wait of [0, 1, 3]) {
      const gateway = gatewayOf({ logger })
      gateway.middleware()
      if (wait > 0) await delay(wait)
      await gateway.close()
    }
    await delay(100)
    expect(lines).toEqual([])
  })
})
