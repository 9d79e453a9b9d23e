import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { createGateway, type Gateway, type GatewayOptions, type Health } from 'koa-gatehouse/gateway'
import { createTestIssuer, type TestIssuer } from 'koa-gatehouse/testing'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { faultyStore } from '../support/faulty-store.ts'
import { freePort } from '../support/free-port.ts'
import { products } from '../fixtures/products.ts'

const audience = 'https://example.com/api'
let issuer: TestIssuer
const gateways: Gateway[] = []
beforeAll(async () => {
  issuer = await createTestIssuer({ audience })
})
afterEach(async () => {
  vi.restoreAllMocks()
  await Promise.all(gateways.splice(0).map((gateway) => gateway.close()))
})
afterAll(() => issuer.close())

function open(options: Partial<GatewayOptions> = {}): Gateway {
  const gateway = createGateway({
    issuer: issuer.issuer,
    audience,
    products,
    ...options,
  } as GatewayOptions & {
    products: typeof products
  })
  gateways.push(gateway)
  return gateway
}

const listOf = ({ checks }: Health) => checks.map(({ name, status }) => `${name} ${status}`)
const checkOf = ({ checks }: Health, name: string) => checks.find((check) => check.name === name)

describe('the health of a gateway in another process', () => {
  it('health of a gateway without a store covers start, keys, products and revocations', async () => {
    const health = await open().health()
    expect(listOf(health)).toEqual(['start pass', 'signing-keys pass', 'products pass', 'revocations warn'])
    expect(health).toMatchObject({ ready: true, status: 'warn', revocations: { enabled: false } })
  })

  it('health of a gateway with a store also covers the store', async () => {
    const health = await open({ revocations: { store: { ...memoryStore(), volatile: false } } }).health()
    expect(listOf(health).slice(0, 3)).toEqual(['start pass', 'store pass', 'store.latency pass'])
    expect(listOf(health).slice(-3)).toEqual(['signing-keys pass', 'products pass', 'revocations pass'])
    expect(health).toMatchObject({ ready: true, status: 'pass' })
  })

  it('a gateway whose store is unavailable keeps serving, and its health reports the store', async () => {
    const store = faultyStore({ ...memoryStore(), volatile: false })
    const gateway = open({ revocations: { store: store.store } })
    await gateway.ready()
    store.goAway()
    const health = await gateway.health()
    expect(health).toMatchObject({ ready: true, status: 'fail' })
    expect(checkOf(health, 'store')).toMatchObject({ status: 'fail', remedy: expect.any(String) })
  })

  it('a gateway whose issuer is unavailable is not ready, and its health reports the cause', async () => {
    const port = await freePort()
    const health = await open({ jwksUri: `http://127.0.0.1:${port}/jwks` }).health()
    expect(health).toMatchObject({ ready: false, status: 'fail' })
    expect(checkOf(health, 'start')).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('the keys of access tokens are unavailable'),
    })
    expect(checkOf(health, 'signing-keys')).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('ECONNREFUSED'),
      remedy: expect.stringContaining('jwksUri'),
    })
  })

  it('health reports the HTTP status of an answer that is not a key set', async () => {
    const health = await open({ jwksUri: `${issuer.issuer}/elsewhere` }).health()
    expect(checkOf(health, 'signing-keys')?.message).toContain('HTTP 404')
  })

  it('health reports keys that cannot be refetched, and the gateway refetches the keys by itself', async () => {
    const send = globalThis.fetch
    const fetching = vi.spyOn(globalThis, 'fetch')
    const gateway = open()
    await gateway.ready()
    const from = Date.now()
    const clock = vi.spyOn(Date, 'now').mockReturnValue(from + 601_000)
    fetching.mockImplementation(async () => Response.json({}, { status: 500 }))
    await gateway.health()
    await vi.waitFor(async () => {
      const health = await gateway.health()
      expect(health.ready).toBe(true)
      expect(checkOf(health, 'signing-keys')).toMatchObject({
        status: 'warn',
        message: expect.stringContaining('HTTP 500'),
      })
    })
    clock.mockReturnValue(from + 632_000)
    fetching.mockImplementation(send)
    await vi.waitFor(async () => {
      expect(checkOf(await gateway.health(), 'signing-keys')).toMatchObject({ status: 'pass' })
    })
  })

  it('a gateway whose reloaded products are invalid keeps the last valid products', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    let current: unknown = products
    const gateway = open({ products: (async () => current) as never, productsRefreshSeconds: 1 })
    await gateway.ready()
    current = { invoices: {} }
    await vi.advanceTimersByTimeAsync(1000)
    const health = await gateway.health()
    vi.useRealTimers()
    expect(health.ready).toBe(true)
    expect(checkOf(health, 'products')).toMatchObject({
      status: 'warn',
      message: expect.stringContaining('from an earlier load'),
    })
  })

  it('a closed gateway is not ready and fetches nothing', async () => {
    const fetching = vi.spyOn(globalThis, 'fetch')
    const gateway = open()
    await gateway.ready()
    expect(fetching).toHaveBeenCalledTimes(1)
    await gateway.close()
    const later = Date.now() + 601_000
    vi.spyOn(Date, 'now').mockImplementation(() => later)
    const health = await gateway.health()
    expect(health).toMatchObject({ ready: false, status: 'fail' })
    expect(checkOf(health, 'start')).toMatchObject({ message: 'the service was closed' })
    expect(fetching).toHaveBeenCalledTimes(1)
  })
})
