import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { Redis } from 'ioredis'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { redisStore } from 'koa-gatehouse/adapters/redis'
import type { Health, Store } from 'koa-gatehouse'
import { exportJWK, generateKeyPair } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { describeWithRedis } from '../../support/describe-with-redis.ts'
import { faultyStore } from '../../support/faulty-store.ts'
import { products } from '../../fixtures/products.ts'
import { SECRET, startHost, type Host, type HostOptions } from '../../support/host.ts'
import { startRedis, type RedisServer } from '../../support/redis-server.ts'
import { describeEachStore } from '../../support/stores.ts'

const hosts: Host[] = []
afterEach(async () => {
  vi.restoreAllMocks()
  await Promise.all(hosts.splice(0).map((host) => host.close()))
})

async function open(options: HostOptions): Promise<Host> {
  const host = await startHost(options)
  hosts.push(host)
  return host
}

/** What was found of a store is kept for a second; this is the health after that. */
async function laterHealth(of: { health(): Promise<Health> }): Promise<Health> {
  const ahead = performance.now() + 1001
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => ahead)
  const health = of.health()
  clock.mockRestore()
  return health
}

const listOf = ({ checks }: Health) => checks.map(({ name, status }) => `${name} ${status}`)
const checkOf = ({ checks }: Health, name: string) => checks.find((check) => check.name === name)

/** Every check has what a person needs: a remedy if it does not pass, and nothing of what is secret. */
function expectReadable({ checks, status }: Health): void {
  for (const check of checks) {
    expect([check.name, check.remedy === undefined]).toEqual([check.name, check.status === 'pass'])
    expect(check.message).not.toMatch(/undefined|NaN|\[object|\n/)
  }
  const worst = checks.some((check) => check.status === 'fail')
    ? 'fail'
    : checks.every((check) => check.status === 'pass')
      ? 'pass'
      : 'warn'
  expect(status).toBe(worst)
}

describeEachStore('the health of a gatehouse', (makeStore) => {
  test('starts it, and says that tokens can be issued, and what of the store is fit', async () => {
    const host = await open({ store: makeStore() })
    const health = await host.gatehouse.health()
    expectReadable(health)
    expect(health).toMatchObject({ ready: true, revocations: { enabled: true, stale: false, count: 0 } })
    for (const name of ['start', 'store', 'store.latency', 'signing-keys', 'products', 'revocations']) {
      expect(checkOf(health, name)).toBeDefined()
    }
    for (const name of ['start', 'store', 'signing-keys', 'products', 'revocations']) {
      expect([name, checkOf(health, name)?.status]).toEqual([name, 'pass'])
    }
    // Servers of tests keep nothing on disk, and the memory store forgets.
    expect(checkOf(health, 'store.persistence')?.status).toMatch(/^(warn|fail)$/)
    expect(JSON.parse(JSON.stringify(health))).toEqual(health)
  })

  test('the gateway inside says the same, and is ready by its own measure', async () => {
    const host = await open({ store: makeStore() })
    const health = await host.gatehouse.health()
    const gateway = await host.gatehouse.gateway.health()
    expect(listOf(gateway)).toEqual(listOf(health))
    expect(gateway.ready).toBe(true)
  })

  test('is not ready after close(), and asks nothing of the store any more', async () => {
    const store = faultyStore(makeStore())
    const host = await open({ store: store.store })
    await host.gatehouse.ready()
    await host.gatehouse.close()
    store.arm()
    const health = await host.gatehouse.health()
    expectReadable(health)
    expect(health).toMatchObject({ ready: false, status: 'fail' })
    expect(checkOf(health, 'start')).toMatchObject({ status: 'fail' })
    expect(checkOf(health, 'store')).toBeUndefined()
    expect(await host.gatehouse.gateway.health()).toMatchObject({ ready: false, status: 'fail' })
    expect(store.calls).toEqual([])
  })

  test('three hundred at once look at the store once', async () => {
    const store = faultyStore(makeStore())
    const host = await open({ store: store.store })
    await host.gatehouse.ready()
    store.arm()
    const { gatehouse } = host
    const answers = await Promise.all(
      Array.from({ length: 300 }, (_, index) => (index % 2 ? gatehouse : gatehouse.gateway).health()),
    )
    expect(answers.every(({ ready }) => ready)).toBe(true)
    expect(store.calls.filter((call) => call.startsWith('ping'))).toHaveLength(1)
    expect(store.calls.filter((call) => call.startsWith('inspect')).length).toBeLessThanOrEqual(1)
  })
})

describe('a gatehouse that cannot start', () => {
  test('for another secret: fail, with the one that is needed', async () => {
    const store = memoryStore()
    const lasting: Store = { ...store, volatile: false }
    await (await open({ store: lasting })).gatehouse.ready()
    const host = await open({
      store: lasting,
      gatehouse: { secret: 'another secret, which is long enough too' },
    })
    const health = await host.gatehouse.health()
    expectReadable(health)
    expect(health.ready).toBe(false)
    expect(checkOf(health, 'start')).toMatchObject({
      status: 'fail',
      remedy: expect.stringContaining('used before'),
    })
    expect(checkOf(health, 'signing-keys')).toMatchObject({
      status: 'fail',
      remedy: expect.stringContaining('[new, old]'),
    })
    expect(checkOf(health, 'store')).toMatchObject({ status: 'pass' })
    expect(JSON.stringify(health)).not.toContain(SECRET)
    expect(JSON.stringify(health)).not.toContain('which is long enough')
  })

  test('for products that are wrong, and starts by itself once they are right', async () => {
    let load: () => unknown = () => ({ invoices: { title: 'Invoices', operations: { bad: {} } } })
    const host = await open({ gatehouse: { products: (async () => load()) as never } })
    const health = await host.gatehouse.health()
    expectReadable(health)
    expect(health.ready).toBe(false)
    expect(checkOf(health, 'products')).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('products.invoices'),
    })
    load = () => {
      throw new Error('postgres://shop:secret@db rejected')
    }
    expect(JSON.stringify(await host.gatehouse.health())).not.toContain('secret@db')
    load = () => products
    expect(await host.gatehouse.health()).toMatchObject({ ready: true })
  })

  test('for something that never ends: answers in the time that a request waits', async () => {
    const host = await open({
      gatehouse: { products: (() => new Promise(() => {})) as never, startTimeoutMs: 100 },
    })
    const from = performance.now()
    const health = await host.gatehouse.health()
    expect(performance.now() - from).toBeLessThan(1000)
    expectReadable(health)
    expect(health.ready).toBe(false)
    expect(checkOf(health, 'start')).toMatchObject({ status: 'warn', message: 'it is starting' })
    expect(checkOf(health, 'revocations')?.status).toMatch(/pass|unknown/)
  })
})

describe('a store that is broken', () => {
  const never = () => new Promise<never>(() => {})
  const throwing = (): never => {
    throw new Error('secret')
  }
  const undefinedly = () => Promise.reject(undefined)

  test.each([
    ['never answers', never],
    ['throws at once', throwing],
    ['rejects with nothing', undefinedly],
  ])('one that %s, from the start: told and not thrown, within the deadline', async (_, method) => {
    const broken = new Proxy(memoryStore(), {
      get: (target, name: keyof Store) =>
        name === 'volatile'
          ? true
          : name === 'durable'
            ? undefined
            : name === 'close'
              ? target.close
              : method,
    })
    const host = await open({ gatehouse: { store: broken, storeTimeoutMs: 100, startTimeoutMs: 200 } })
    const from = performance.now()
    const health = await host.gatehouse.health()
    const gateway = await host.gatehouse.gateway.health()
    expect(performance.now() - from).toBeLessThan(2000)
    for (const each of [health, gateway]) {
      expectReadable(each)
      expect(each).toMatchObject({ ready: false, status: 'fail' })
      expect(checkOf(each, 'store')).toMatchObject({ status: 'fail' })
      expect(checkOf(each, 'start')).toMatchObject({ status: expect.stringMatching(/fail|warn/) })
      expect(JSON.stringify(each)).not.toContain('secret')
    }
  })

  test('later: no tokens, but calls go on; and by itself back', async () => {
    const store = faultyStore(memoryStore())
    const host = await open({ store: store.store })
    expect(await host.gatehouse.health()).toMatchObject({ ready: true })
    store.goAway()
    const health = await laterHealth(host.gatehouse)
    expectReadable(health)
    expect(health).toMatchObject({ ready: false, status: 'fail' })
    expect(await host.gatehouse.gateway.health()).toMatchObject({ ready: true, status: 'fail' })
    store.comeBack()
    await vi.waitFor(
      async () => expect(await laterHealth(host.gatehouse)).toMatchObject({ ready: true }),
      5000,
    )
  })
})

describe('signing keys', () => {
  test('that the host keeps are said to be', async () => {
    const jwk = async (alg: 'ES256' | 'RS256', kid: string) => {
      const { privateKey } = await generateKeyPair(alg, { extractable: true })
      return { ...(await exportJWK(privateKey)), alg, kid, use: 'sig' }
    }
    const keys = await Promise.all([jwk('ES256', 'one'), jwk('RS256', 'two')])
    const host = await open({ gatehouse: { signingKeys: { jwks: { keys } } as never } })
    const health = await host.gatehouse.health()
    expect(health.ready).toBe(true)
    expect(checkOf(health, 'signing-keys')).toMatchObject({
      status: 'pass',
      message: expect.stringContaining('2 keys are managed by the host'),
    })
    expect(JSON.stringify(health)).not.toContain(String(keys[0]?.d))
  })

  test('that could not be looked at for an hour issue nothing', async () => {
    const store = faultyStore(memoryStore())
    const host = await open({ store: store.store, gatehouse: { startTimeoutMs: 300 } })
    await host.gatehouse.ready()
    store.goAway()
    const later = Date.now() + 3_700_000
    vi.spyOn(Date, 'now').mockImplementation(() => later)
    const health = await host.gatehouse.health()
    expect(health.ready).toBe(false)
    expect(checkOf(health, 'signing-keys')).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('no tokens are issued'),
    })
    // With the store they are looked at again, by this very call, as by a request.
    store.comeBack()
    await vi.waitFor(async () => {
      const again = await host.gatehouse.health()
      expect(checkOf(again, 'signing-keys')).toMatchObject({ status: 'pass' })
    }, 5000)
  })
})

describe('products', () => {
  test('that were rejected, and those that another process withholds', async () => {
    const store = memoryStore()
    let current: object = products
    const one = await open({ store, gatehouse: { products: (async () => current) as never } })
    await one.gatehouse.ready()
    current = { invoices: {} }
    await one.gatehouse.catalog.reload().catch(() => {})
    const rejected = await one.gatehouse.health()
    expect(rejected.ready).toBe(true)
    expect(checkOf(rejected, 'products')).toMatchObject({ status: 'warn', remedy: expect.any(String) })

    current = products
    await one.gatehouse.catalog.reload()
    expect(checkOf(await one.gatehouse.health(), 'products')).toMatchObject({ status: 'pass' })

    const fewer = { payments: products.payments }
    const other = await open({
      store,
      gatehouse: { issuer: one.issuer, audience: one.audience, products: fewer },
    })
    await other.gatehouse.ready()
    await vi.waitFor(async () => {
      const found = checkOf(await one.gatehouse.health(), 'products')
      expect(found).toMatchObject({
        status: 'warn',
        message: expect.stringContaining('invoices:read of invoices'),
      })
    }, 5000)
  })
})

describeWithRedis('Redis', () => {
  let redis: RedisServer
  let client: Redis
  beforeAll(async () => {
    redis = await startRedis({ args: ['--appendonly', 'yes'] })
  })
  afterEach(() => {
    redis.resume()
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
    const host = await open({ store: redisStore(client, { keyPrefix: `${randomUUID()}:` }) })
    await host.gatehouse.ready()
    return host
  }

  test('that is set up well passes every check', async () => {
    const host = await openOnRedis()
    const health = await host.gatehouse.health()
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
      'signing-keys pass',
      'products pass',
      'revocations pass',
    ])
    expect(health).toMatchObject({ ready: true, status: 'pass' })
  })

  test('that is frozen: fail within the deadline, while calls go on; and ready when it is back', async () => {
    const host = await openOnRedis()
    redis.pause()
    const from = performance.now()
    const [health, gateway] = await Promise.all([host.gatehouse.health(), host.gatehouse.gateway.health()])
    expect(performance.now() - from).toBeLessThan(1500)
    expectReadable(health)
    expect(health).toMatchObject({ ready: false, status: 'fail' })
    expect(checkOf(health, 'store')).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('did not answer within 1000 ms'),
    })
    expect(gateway).toMatchObject({ ready: true, status: 'fail' })
    redis.resume()
    await vi.waitFor(
      async () => expect(await laterHealth(host.gatehouse)).toMatchObject({ ready: true }),
      5000,
    )
  })

  test('that is killed: fail, and says nothing of its password', async () => {
    const host = await openOnRedis()
    await redis.kill()
    const health = await host.gatehouse.health()
    expectReadable(health)
    expect(health).toMatchObject({ ready: false, status: 'fail' })
    expect(JSON.stringify(health)).not.toContain('pass-of-a-test')
    await redis.restart()
    await vi.waitFor(
      async () => expect(await laterHealth(host.gatehouse)).toMatchObject({ ready: true }),
      5000,
    )
  })
})
