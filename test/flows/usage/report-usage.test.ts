import { once } from 'node:events'
import { inspect } from 'node:util'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createGateway, type Gateway, type Logger } from '../../../src/gateway.ts'
import { createUsage, reportUsage, type Usage } from '../../../src/usage.ts'
import { products } from '../../fixtures/products.ts'
import { startHost, type Host } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'

describeEachStore('usage of a gateway without the store', (makeStore) => {
  let host: Host
  let usage: Usage
  let server: { client_id: string; client_secret: string }
  let key: { client_id: string; client_secret: string }
  const closing: (() => Promise<unknown>)[] = []

  beforeEach(async () => {
    let mounted: Usage | undefined
    host = await startHost({
      store: makeStore(),
      mount(app, gatehouse) {
        mounted = createUsage(gatehouse, { intervalSeconds: 3600 })
        app.use(mounted.middleware())
        app.use(gatehouse.middleware())
        app.use(async (ctx, next) => {
          if (ctx.path === '/reject-once') ctx.throw(422)
          await next()
        })
      },
    })
    if (!mounted) throw new Error('not mounted')
    usage = mounted
    key = await host.createApiKey(['invoices'])
    server = await host.createApiKey([])
    await host.gatehouse.apiKeys.setResourceServer(server.client_id, true)
  })
  afterEach(async () => {
    vi.useRealTimers()
    for (const close of closing.splice(0)) await close()
    await host.close()
  })

  async function startGateway(reported: Partial<Parameters<typeof reportUsage>[1]> = {}, logger?: Logger) {
    const { issuer, audience } = host
    const gateway: Gateway = createGateway({ issuer, audience, products, logger })
    reportUsage(gateway, {
      uri: `${host.issuer}/oauth2/usage`,
      clientId: server.client_id,
      clientSecret: server.client_secret,
      intervalSeconds: 3600,
      ...reported,
    })
    const app = new Koa()
    app.use(gateway.middleware())
    app.use((ctx) => (ctx.body = {}))
    const http: Server = createServer(app.callback()).listen(0)
    await once(http, 'listening')
    const { port } = http.address() as AddressInfo
    closing.push(async () => {
      await gateway.close()
      http.closeAllConnections()
      http.close()
    })
    return {
      gateway,
      call: (path: string, token: string) =>
        fetch(`http://localhost:${port}/api${path}`, { headers: { Authorization: `Bearer ${token}` } }),
    }
  }

  const totals = (overrides: object = {}) => ({
    day: new Date().toISOString().slice(0, 10),
    source: 'abcdefghijklmnop',
    clientId: key.client_id,
    isFirst: true,
    hours: { '0': { 'invoices:read': { ok: 5 } } },
    ...overrides,
  })

  async function send(entries: unknown, by = server) {
    const credentials = Buffer.from(`${by.client_id}:${by.client_secret}`).toString('base64')
    const response = await fetch(`${host.issuer}/oauth2/usage`, {
      method: 'POST',
      headers: { Authorization: `Basic ${credentials}`, 'Content-Type': 'application/json' },
      body: typeof entries === 'string' ? entries : JSON.stringify({ totals: entries }),
    })
    return { status: response.status, text: await response.text() }
  }

  const listed = () => usage.list({ clientId: key.client_id, by: ['operation', 'outcome'] })

  it('a gateway sends its calls when it closes, and they are added to those of the service', async () => {
    const { call, gateway } = await startGateway()
    const { body } = await host.requestDirectToken(key)
    const token = String(body['access_token'])
    expect((await call('/invoices/list', token)).status).toBe(200)
    expect((await call('/payments/list', token)).status).toBe(403)
    await gateway.close()
    await usage.flush()
    expect(await listed()).toEqual([
      { operation: 'POST /oauth2/token', outcome: 'issued', count: 1 },
      { operation: 'invoices:read', outcome: 'ok', count: 1 },
      { operation: 'payments:list', outcome: 'insufficient_scope', count: 1 },
    ])
    expect(await usage.topClients()).toEqual([{ clientId: key.client_id, calls: 3 }])
  })

  it('a gateway whose key is not a resource server logs a warning, and the calls go on', async () => {
    const warn = vi.fn<(fields: { err?: unknown }, message: string) => void>()
    const logger = { debug() {}, info() {}, warn, error() {} }
    const { call, gateway } = await startGateway({
      clientId: key.client_id,
      clientSecret: key.client_secret,
      logger,
    })
    const { body } = await host.requestDirectToken(key)
    expect((await call('/invoices/list', String(body['access_token']))).status).toBe(200)
    await gateway.close()
    expect(warn).toHaveBeenCalledOnce()
    expect(String(warn.mock.calls[0]?.[0].err)).toContain('HTTP 403')
  })

  it('without a logger of its own, reportUsage() logs by the logger of its gateway', async () => {
    const warn = vi.fn()
    const logger = { debug() {}, info() {}, warn, error() {} }
    const { call, gateway } = await startGateway({ uri: `${host.issuer}/elsewhere` }, logger)
    const { body } = await host.requestDirectToken(key)
    expect((await call('/invoices/list', String(body['access_token']))).status).toBe(200)
    await gateway.close()
    expect(warn).toHaveBeenCalledExactlyOnceWith(
      {
        err: expect.objectContaining({
          message: expect.stringContaining('/elsewhere answered') as string,
        }) as Error,
        lost: 1,
      },
      'the last calls could not be stored in the usage',
    )
  })

  it('behind a proxy that strips a prefix, the receiver follows the mountPath of the gatehouse', async () => {
    let mounted: Usage | undefined
    const service = await startHost({
      store: makeStore(),
      issuerPath: '/platform/auth',
      gatehouse: { mountPath: '/auth' },
      mount(app, gatehouse) {
        mounted = createUsage(gatehouse, { intervalSeconds: 3600 })
        app.use(mounted.middleware())
        app.use(gatehouse.middleware())
      },
      serve(app) {
        const handler = app.callback()
        return async (request, response) => {
          request.url = request.url?.replace(/^\/platform\//, '/')
          await handler(request, response)
        }
      },
    })
    closing.push(() => service.close())
    const [client, own] = [await service.createApiKey(['invoices']), await service.createApiKey([])]
    await service.gatehouse.apiKeys.setResourceServer(own.client_id, true)
    const response = await fetch(`${service.issuer}/oauth2/usage`, {
      method: 'POST',
      headers: {
        Authorization: `Basic ${btoa(`${own.client_id}:${own.client_secret}`)}`,
        'Content-Type': 'application/json',
      },
      body: JSON.stringify({ totals: [totals({ clientId: client.client_id })] }),
    })
    expect(response.status).toBe(204)
    expect(await mounted?.list({ clientId: client.client_id, by: ['operation', 'outcome'] })).toEqual([
      { operation: 'invoices:read', outcome: 'ok', count: 5 },
    ])
  })

  it('a repeated request doubles nothing, and later totals replace earlier ones', async () => {
    for (const ok of [5, 5, 7]) {
      expect((await send([totals({ hours: { '0': { 'invoices:read': { ok } } } })])).status).toBe(204)
    }
    expect(await listed()).toEqual([{ operation: 'invoices:read', outcome: 'ok', count: 7 }])
  })

  it('a resource server cannot change what another one has sent', async () => {
    const other = await host.createApiKey([])
    await host.gatehouse.apiKeys.setResourceServer(other.client_id, true)
    await send([totals()])
    await send([totals({ hours: { '0': { 'invoices:read': { ok: 1 } } } })], other)
    expect(await listed()).toEqual([{ operation: 'invoices:read', outcome: 'ok', count: 6 }])
  })

  it('totals with an invalid value are rejected with the whole request', async () => {
    const many = (count: number, value: unknown) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`x${at}`, value]))
    const invalid: Record<string, object> = {
      'a negative count': { hours: { '0': { 'invoices:read': { ok: -1 } } } },
      'a huge count': { hours: { '0': { 'invoices:read': { ok: 1e15 } } } },
      'a count that is no number': { hours: { '0': { 'invoices:read': { ok: '5' } } } },
      '1,001 operations': { hours: { '0': many(1001, {}) } },
      '25,000 unknown fields': many(25_000, 1),
      '101 busiest clients': { clientId: undefined, top: many(101, 1) },
      'a source that is a list': { source: ['abcdefghijklmnop'] },
      'a day that does not exist': { day: '2026-02-31' },
      'an hour that does not exist': { hours: { '24': {} } },
      'a source with another form': { source: '../../../../etc' },
      'a client id with a colon': { clientId: 'key:2026-01-01' },
      'an unknown field': { extra: 1 },
    }
    for (const [what, overrides] of Object.entries(invalid)) {
      const { status, text } = await send([totals(), totals(overrides)])
      expect({ status, text }, what).toEqual({
        status: 422,
        text: expect.stringContaining('totals[1]') as string,
      })
    }
    expect(await listed()).toEqual([])
  })

  it('requests that are no list of totals are rejected', async () => {
    for (const [body, status] of [
      ['{', 422],
      [Array.from({ length: 101 }, () => ({})), 422],
      [{ a: 1 }, 422],
      [`"${'x'.repeat(5_000_000)}"`, 413],
    ] as const) {
      expect((await send(body)).status, inspect(body).slice(0, 20)).toBe(status)
    }
  })

  it('a wrong secret gets 401, an ordinary key 403, and GET 405', async () => {
    expect((await send([totals()], { ...server, client_secret: 'wrong' })).status).toBe(401)
    expect((await send([totals()], key)).status).toBe(403)
    expect((await fetch(`${host.issuer}/oauth2/usage`)).status).toBe(405)
    expect(await listed()).toEqual([])
  })

  it('the usage of clients that do not exist is dropped, and unknown operations and outcomes have no name', async () => {
    const hours = { '0': { 'invoices:read': { ok: 1, unknown: 3 }, 'made:up': { ok: 2 } } }
    expect((await send([totals({ clientId: 'key_unknown' }), totals({ hours })])).status).toBe(204)
    expect(await usage.list({ clientId: 'key_unknown' })).toEqual([])
    expect(await listed()).toEqual([
      { operation: 'invoices:read', outcome: 'ok', count: 1 },
      { operation: 'other operations', outcome: 'ok', count: 2 },
    ])
  })

  it('old days and days in the future are dropped, and the other totals of the request are stored', async () => {
    const old = [totals({ day: '2020-01-01' }), totals({ day: '2999-01-01' }), totals({ day: '1970-01-01' })]
    expect((await send([...old, totals()])).status).toBe(204)
    expect(await listed()).toEqual([{ operation: 'invoices:read', outcome: 'ok', count: 5 }])
  })

  it('huge counts of many sources do not damage what others have counted', async () => {
    const huge = {
      '0': {
        'invoices:read': { ok: 1_000_000_000 },
        'made:up': { ok: 1_000_000_000 },
        'made:too': { ok: 1_000_000_000 },
      },
    }
    for (let at = 0; at < 5; at += 1) {
      const entries = Array.from({ length: 100 }, (_, each) =>
        totals({ source: String(100 * at + each).padStart(16, 'x'), hours: huge }),
      )
      expect((await send(entries)).status).toBe(204)
    }
    const [first] = await usage.list({ clientId: key.client_id, by: ['operation'] })
    expect(first).toEqual({ operation: 'invoices:read', count: 500_000_000_000 })
  }, 60_000)

  it('the busiest clients that a gateway names exist, and its totals of a client name none', async () => {
    const top = {
      ...Object.fromEntries(Array.from({ length: 90 }, (_, at) => [`key_made_up_${at}`, 1e9])),
      [key.client_id]: 5,
    }
    expect((await send([totals(), totals({ clientId: undefined, top }), totals({ top })])).status).toBe(204)
    expect(await usage.topClients()).toEqual([{ clientId: key.client_id, calls: 5 }])
  })

  it('usage that the service rejects is dropped, and later usage is stored', async () => {
    const warn = vi.fn<(fields: object, message: string) => void>()
    const { call, gateway } = await startGateway({
      uri: `${host.origin}/reject-once`,
      logger: { debug() {}, info() {}, warn, error() {} },
    })
    const { body } = await host.requestDirectToken(key)
    await call('/invoices/list', String(body['access_token']))
    await gateway.close()
    expect(warn).toHaveBeenCalledWith(
      expect.objectContaining({ status: 422 }),
      expect.stringContaining('dropped'),
    )
  })

  it('a resource server has at most 1000 sources a day', async () => {
    for (let at = 0; at < 1000; at += 100) {
      const entries = Array.from({ length: 100 }, (_, each) =>
        totals({ source: String(at + each).padStart(16, 'x'), clientId: undefined }),
      )
      expect((await send(entries)).status).toBe(204)
    }
    expect((await send([totals()])).status).toBe(204)
    expect(await listed()).toEqual([])
    expect((await send([totals({ source: 'xxxxxxxxxxxxxxx1' })])).status).toBe(204)
  }, 60_000)
})
