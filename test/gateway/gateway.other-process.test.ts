import Koa from 'koa'
import request from 'supertest'
import { createGateway, GatehouseError, type Gateway, type GatewayOptions } from 'koa-gatehouse/gateway'
import { createTestIssuer, type TestIssuer } from 'koa-gatehouse/testing'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { silentLogger } from '../../src/host/logger.ts'

const audience = 'https://example.com/api'
const products = {
  invoices: {
    title: 'Invoices',
    operations: { 'invoices:read': { route: 'GET /invoices/:id', title: 'Read', kycLevel: 'basic' } },
  },
} as const

let issuer: TestIssuer
const gateways: Gateway[] = []

/** Creates a gateway that fetches the keys of the issuer over HTTP. The gateway is closed after all tests. */
function gatewayOf(options: Partial<GatewayOptions<typeof products>> = {}) {
  const gateway = createGateway({ issuer: issuer.issuer, audience, products, ...options })
  gateways.push(gateway)
  return gateway
}

beforeAll(async () => {
  issuer = await createTestIssuer({ audience })
})
afterAll(async () => {
  await Promise.all(gateways.map((gateway) => gateway.close()))
  await issuer.close()
})

describe('a gateway in another process', () => {
  it('a gateway in another process verifies tokens with the public keys of the authorization service', async () => {
    const gateway = gatewayOf()
    const app = new Koa()
    app.use(gateway.middleware())
    app.use((ctx) => void (ctx.body = ctx.state['auth'].accountId))
    const agent = request(app.callback())

    const good = await issuer.mintToken({ accountId: 'acme', scopes: ['invoices:read'] })
    await agent.get('/api/invoices/7').set('Authorization', `Bearer ${good}`).expect(200, 'acme')
    await agent.get('/api/invoices/7').expect(401)
    const scopeless = await issuer.mintToken({ accountId: 'acme', scopes: [] })
    await agent.get('/api/invoices/7').set('Authorization', `Bearer ${scopeless}`).expect(403)
    const expired = await issuer.mintToken({ accountId: 'acme', scopes: ['invoices:read'], expiresIn: -1 })
    await agent.get('/api/invoices/7').set('Authorization', `Bearer ${expired}`).expect(401)
    await agent.get('/api/unknown').expect(404)
    const { body } = await agent.get('/.well-known/oauth-protected-resource/api').expect(200)
    expect(body).toMatchObject({
      authorization_servers: [issuer.issuer],
      scopes_supported: ['invoices:read'],
    })
  })

  it('a gateway in another process loads its products with a function', async () => {
    const gateway = createGateway({ issuer: issuer.issuer, audience, products: async () => products })
    gateways.push(gateway)
    gateway.requireScope('any:scope')
    await gateway.ready()
    expect(() => gateway.requireScope('any:scope')).toThrow(GatehouseError)
    gateway.requireScope('invoices:read')
  })

  it('a gateway reloads its products at an interval, and keeps the last valid products', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const error = vi.fn()
    let current: unknown = products
    let loads = 0
    const gateway = createGateway({
      issuer: issuer.issuer,
      audience,
      products: async () => ((loads += 1), current as typeof products),
      productsRefreshSeconds: 1,
      logger: { ...silentLogger, error },
    })
    await gateway.ready()
    await gateway.ready()
    const { operations } = products.invoices
    current = { refunds: { title: 'Refunds', operations: { 'refunds:read': operations['invoices:read'] } } }
    await vi.advanceTimersByTimeAsync(1000)
    gateway.requireScope('refunds:read')
    expect(() => gateway.requireScope('invoices:read')).toThrow(GatehouseError)

    current = { refunds: {} }
    await vi.advanceTimersByTimeAsync(1000)
    expect(error).toHaveBeenCalledTimes(1)
    gateway.requireScope('refunds:read')
    // The first ready() and the two changes cause three loads. The second ready() starts no second interval.
    expect(loads).toBe(3)
    await gateway.close()
    await vi.advanceTimersByTimeAsync(5000)
    expect(loads).toBe(3)
    vi.useRealTimers()
  })

  it('a gateway rejects products whose routes repeat the path of its audience with ERR_OPTIONS', async () => {
    const repeating = {
      a: { title: 'A', operations: { 'a:read': { route: 'GET /api/a', title: 'A' } } },
    } as const
    const { issuer: service } = issuer
    const rejection = expect.objectContaining({
      code: 'ERR_OPTIONS',
      problems: [expect.objectContaining({ path: "products.a.operations['a:read'].route" })],
    }) as Error
    expect(() => createGateway({ issuer: service, audience, products: repeating })).toThrow(rejection)
    const error = vi.fn()
    const logger = { ...silentLogger, error }
    const gateway = createGateway({ issuer: service, audience, products: async () => repeating, logger })
    gateways.push(gateway)
    await expect(gateway.ready()).rejects.toEqual(rejection)
    expect(error).toHaveBeenCalledWith({ err: rejection }, 'the products could not be loaded')
  })

  it('a gateway that has never reached the authorization service answers 503', async () => {
    const gateway = gatewayOf({ jwksUri: 'http://127.0.0.1:1/jwks' })
    await expect(gateway.ready()).rejects.toMatchObject({ code: 'ERR_NOT_READY' })
    const call = { method: 'GET', url: '/api/invoices/7', headers: { authorization: 'Bearer a' } }
    expect(await gateway.authenticate(call)).toMatchObject({ ok: false, status: 503 })
  })
})
