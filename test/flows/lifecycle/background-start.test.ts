import { setTimeout as delay } from 'node:timers/promises'
import { randomUUID } from 'node:crypto'
import Koa from 'koa'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Gatehouse, Logger } from 'koa-gatehouse'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { createGateway, type Gateway } from 'koa-gatehouse/gateway'
import { createTestIssuer, type TestIssuer } from 'koa-gatehouse/testing'
import { products } from '../../fixtures/products.ts'
import { describeEachStore } from '../../support/stores.ts'
import { until } from '../../support/until.ts'
import { base, endAll, gatehouseOn, open, recordingLogger, type Line } from './start-setup.ts'

afterEach(endAll)

/** Ways to mount gatehouse. Each entry mounts one middleware and does nothing else. */
const MOUNTS: Readonly<Record<string, (gatehouse: Gatehouse) => unknown>> = {
  'middleware()': (gatehouse) => gatehouse.middleware(),
  'wellKnown()': (gatehouse) => gatehouse.wellKnown(),
  'gateway.middleware()': (gatehouse) => gatehouse.gateway.middleware(),
  'gateway.requireScope()': (gatehouse) => gatehouse.gateway.requireScope('invoices:read'),
  'gateway.wellKnown()': (gatehouse) => gatehouse.gateway.wellKnown(),
}

describeEachStore('the background start of the service', (makeStore) => {
  it('each way to mount gatehouse starts the service without a request', async () => {
    for (const [name, mount] of Object.entries(MOUNTS)) {
      const gatehouse = gatehouseOn({ store: makeStore() })
      const published = vi.fn()
      gatehouse.on('key.published', published)
      mount(gatehouse)
      await until(() => expect(published, name).toHaveBeenCalled())
    }
  })

  it('createGatehouse() alone does not start the service', async () => {
    const gatehouse = gatehouseOn({ store: makeStore() })
    const published = vi.fn()
    gatehouse.on('key.published', published)
    await delay(100)
    expect(published).not.toHaveBeenCalled()
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

  it('each way to mount a gateway in another process fetches keys and products without a request', async () => {
    for (const [name, mount] of Object.entries(mounts)) {
      const load = vi.fn(async () => products)
      const fetched = vi.spyOn(globalThis, 'fetch')
      mount(gatewayOf({ load }))
      await until(() => expect(load, name).toHaveBeenCalledOnce())
      await until(() => expect(fetched, name).toHaveBeenCalledOnce())
      expect(fetched.mock.calls[0]?.[0]).toBe(issuer.jwksUri)
      fetched.mockRestore()
    }
  })

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
