import { memoryStore } from 'koa-gatehouse/adapters/memory'
import type { Store } from 'koa-gatehouse'
import { exportJWK } from 'jose'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { faultyStore } from '../../support/faulty-store.ts'
import { products } from '../../fixtures/products.ts'
import { SECRET, startHost, type Host, type HostOptions } from '../../support/host.ts'
import { keyPairOf } from '../../support/rsa-keys.ts'
import { describeEachStore } from '../../support/stores.ts'
import { checkOf, expectReadable, listOf, uncachedHealth } from './health-checks.ts'

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

describeEachStore('health()', (makeStore) => {
  it('health() starts gatehouse, reports all checks, and reports that tokens can be issued', async () => {
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
    // The Redis servers of these tests write nothing to disk, and the memory store loses its data.
    expect(checkOf(health, 'store.persistence')?.status).toMatch(/^(warn|fail)$/)
    expect(JSON.parse(JSON.stringify(health))).toEqual(health)
  })

  it('gateway.health() has the same checks as health(), and reports whether the gateway is ready', async () => {
    const host = await open({ store: makeStore() })
    const health = await host.gatehouse.health()
    const gateway = await host.gatehouse.gateway.health()
    expect(listOf(gateway)).toEqual(listOf(health))
    expect(gateway.ready).toBe(true)
  })

  it('health() after close() is not ready and does not call the store', async () => {
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

  it('three hundred calls of health() at the same time check the store once', async () => {
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

describe('health() of a gatehouse that cannot start', () => {
  it('health() with the wrong secret fails, and its remedy says to set the secret that was used before', async () => {
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

  it('health() is not ready while the products are invalid, and is ready when the products are valid', async () => {
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

  it('health() answers within the start timeout even if loading the products never ends', async () => {
    const host = await open({
      gatehouse: { products: (() => new Promise(() => {})) as never, startTimeoutMs: 100 },
    })
    const from = performance.now()
    const health = await host.gatehouse.health()
    expect(performance.now() - from).toBeLessThan(1000)
    expectReadable(health)
    expect(health.ready).toBe(false)
    expect(checkOf(health, 'start')).toMatchObject({ status: 'warn', message: 'the service is starting' })
    expect(checkOf(health, 'revocations')?.status).toMatch(/pass|unknown/)
  })
})

describe('health() with a broken store', () => {
  const never = () => new Promise<never>(() => {})
  const throwing = (): never => {
    throw new Error('secret')
  }
  const rejecting = () => Promise.reject(undefined)

  it('health() reports a failure within the timeout, and does not throw, if every call of the store fails', async () => {
    const checked = [never, throwing, rejecting].map(async (method) => {
      const broken = new Proxy<Store>(
        { ...memoryStore(), durable: undefined },
        {
          get: (target, name: keyof Store) =>
            ['volatile', 'durable', 'close'].includes(name) ? target[name] : method,
        },
      )
      const host = await open({ gatehouse: { store: broken, storeTimeoutMs: 100, startTimeoutMs: 200 } })
      const from = performance.now()
      const answers = [await host.gatehouse.health(), await host.gatehouse.gateway.health()]
      expect(performance.now() - from).toBeLessThan(2000)
      for (const each of answers) {
        expectReadable(each)
        expect(each).toMatchObject({ ready: false, status: 'fail' })
        expect(checkOf(each, 'store')).toMatchObject({ status: 'fail' })
        expect(checkOf(each, 'start')).toMatchObject({ status: expect.stringMatching(/fail|warn/) })
        expect(JSON.stringify(each)).not.toContain('secret')
      }
    })
    await Promise.all(checked)
  })

  it('health() fails while the store is unavailable and passes when the store is available again, and the gateway stays ready', async () => {
    const store = faultyStore(memoryStore())
    const host = await open({ store: store.store })
    expect(await host.gatehouse.health()).toMatchObject({ ready: true })
    store.goAway()
    const health = await uncachedHealth(host.gatehouse)
    expectReadable(health)
    expect(health).toMatchObject({ ready: false, status: 'fail' })
    expect(await host.gatehouse.gateway.health()).toMatchObject({ ready: true, status: 'fail' })
    store.comeBack()
    await vi.waitFor(
      async () => expect(await uncachedHealth(host.gatehouse)).toMatchObject({ ready: true }),
      5000,
    )
  })
})

describe('health() of the signing keys', () => {
  it('health() reports that the host manages the signing keys', async () => {
    const jwk = async (alg: 'ES256' | 'RS256', kid: string) => {
      const { privateKey } = await keyPairOf(alg)
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

  it('health() fails if the signing keys could not be read for an hour', async () => {
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
    // When the store is available again, health() reads the keys again, as a request does.
    store.comeBack()
    await vi.waitFor(async () => {
      const again = await host.gatehouse.health()
      expect(checkOf(again, 'signing-keys')).toMatchObject({ status: 'pass' })
    }, 5000)
  })
})

describe('health() of the products', () => {
  it('health() warns if the products were rejected, and if another process lacks some of the products', async () => {
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
