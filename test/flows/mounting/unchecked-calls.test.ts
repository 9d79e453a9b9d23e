import { Router } from '@koa/router'
import Koa, { type Context, type Middleware } from 'koa'
import mount from 'koa-mount'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Gatehouse } from 'koa-gatehouse'
import { memoryStore } from '../../../adapters/memory.ts'
import { silentLogger } from '../../../src/host/logger.ts'
import { startHost, type Host, type HostOptions } from '../../support/host.ts'
import { send } from '../../support/raw-request.ts'

const error = vi.fn()
let host: Host

const start = async (mountAll: (app: Koa, gatehouse: Gatehouse) => void, options: HostOptions = {}) => {
  host = await startHost({
    store: memoryStore(),
    ...options,
    gatehouse: { logger: { ...silentLogger, error }, ...options.gatehouse },
    mount: mountAll,
  })
  await host.gatehouse.ready()
}
const router = (sensitive = true) => {
  const routes = new Router({ sensitive })
  routes.get('/api/invoices/list', (ctx: Context) => void (ctx.body = { invoices: [] }))
  return routes.routes() as unknown as Middleware
}
const invoices: Middleware = (ctx, next) => {
  if (ctx.path !== '/api/invoices/list') return next()
  ctx.body = { invoices: [] }
  return undefined
}
const status = async (path = '/api/invoices/list', init: RequestInit = {}) =>
  (await host.fetch(host.origin + path, init)).status

/** What the log and the check of `health()` say about calls that no gateway has checked. */
async function found() {
  const { checks, ready } = await host.gatehouse.health()
  const [check] = checks.filter(({ name }) => name === 'gateway')
  return { logged: error.mock.calls.map(([fields]) => fields as object), check: check?.status, ready }
}
const INVOICES = { operation: 'invoices:read', method: 'GET', status: 200 }
const OPEN = { logged: [INVOICES], check: 'fail', ready: true }
const QUIET = { logged: [], check: undefined, ready: true }

beforeEach(() => void error.mockClear())
afterEach(() => host.close())

describe('a mistake that opens the API', () => {
  const mistakes: [string, (app: Koa, gatehouse: Gatehouse) => void, string?][] = [
    [
      'the router is before the gateway',
      (app, { gateway, ...g }) => app.use(g.middleware()).use(router()).use(gateway.middleware()),
    ],
    ['the gateway is forgotten', (app, g) => app.use(g.middleware()).use(router())],
    [
      '`mountPath` of the gateway is wrong',
      (app, g) =>
        app
          .use(g.middleware())
          .use(g.gateway.middleware({ mountPath: '/v1' }))
          .use(router()),
    ],
    [
      'the gateway is mounted, and the router ignores letter case',
      (app, g) =>
        app
          .use(g.middleware())
          .use(mount('/api', g.gateway.middleware() as never))
          .use(router(false)),
      '/API/Invoices/list',
    ],
    [
      'a path is rewritten into the API after the gateway',
      (app, g) =>
        app
          .use(g.middleware())
          .use(g.gateway.middleware())
          .use((ctx, next) => {
            ctx.path = ctx.path.replace('/v1/', '/api/')
            return next()
          })
          .use(router()),
      '/v1/invoices/list',
    ],
    [
      'another server answers it',
      (app, g) =>
        app.use(g.middleware()).use((ctx) => {
          ctx.respond = false
          setTimeout(() => ctx.res.writeHead(200).end('{}'), 5)
        }),
    ],
  ]
  it.each(mistakes)(
    'a call is logged once and fails the health check if %s',
    async (_mistake, mountAll, path) => {
      await start(mountAll)
      expect([await status(path), await status(path)]).toEqual([200, 200])
      await vi.waitFor(async () => expect(await found()).toEqual(OPEN))
      expect(String(error.mock.calls[0]?.[1])).toContain('checkedElsewhere')
      expect(JSON.stringify((await host.gatehouse.gateway.health()).checks)).toContain('invoices:read')
    },
  )

  it('a HEAD request is found as the GET of its operation, and a file at the path of an operation is a call', async () => {
    await start((app, g) => app.use(g.middleware()).use((ctx) => void (ctx.body = { file: true })))
    expect(await status(undefined, { method: 'HEAD' })).toBe(200)
    expect(await found()).toEqual({ ...OPEN, logged: [{ ...INVOICES, method: 'HEAD' }] })
  })

  it('an open call whose target is a whole address is found', async () => {
    await start((app, g) => app.use(g.middleware()).use((ctx) => void (ctx.body = [])))
    const target = `${host.audience}/invoices/list`
    expect((await send(host.port, { method: 'GET', target, headers: {} })).status).toBe(200)
    expect(await found()).toEqual(OPEN)
  })

  it('an open call is found behind a proxy that strips the same prefix from the issuer and from the API', async () => {
    await start((app, g) => app.use(g.middleware()).use(invoices), {
      issuerPath: '/platform/auth',
      audiencePath: '/platform/api',
      gatehouse: { mountPath: '/auth' },
    })
    expect(await status()).toBe(200)
    expect(await found()).toEqual(OPEN)
  })

  it('an open call is found in a Koa app below a path of another server', async () => {
    await start(
      (app, g) =>
        app.use(g.middleware()).use(mount('/api', new Koa().use((ctx) => void (ctx.body = [])) as never)),
      {
        issuerPath: '/shop/auth',
        audiencePath: '/shop/api',
        serve: (app) => (req, res) => {
          Object.assign(req, { originalUrl: req.url, url: req.url?.replace('/shop', '') })
          return app.callback()(req, res)
        },
      },
    )
    expect(await status('/shop/api/invoices/list')).toBe(200)
    expect(await found()).toEqual(OPEN)
  })

  it('an open call is found at another origin as soon as the host creates a gateway', async () => {
    const elsewhere = { gatehouse: { audience: 'http://localhost:9/api' } }
    await start((app, g) => app.use(g.middleware()).use(router()), elsewhere)
    expect([await status(), await found()]).toEqual([200, QUIET])
    host.gatehouse.gateway.middleware()
    expect([await status(), await found()]).toEqual([200, OPEN])
  })
})

describe('a call that is no mistake', () => {
  const page: Middleware = (ctx) => void ((ctx.type = 'html'), (ctx.body = '<!doctype html>'))
  const cors: Middleware = (ctx, next) => (ctx.method === 'OPTIONS' ? void (ctx.status = 204) : next())
  const guarded =
    (options = {}) =>
    (app: Koa, g: Gatehouse) =>
      app.use(g.middleware()).use(g.gateway.middleware(options)).use(router())
  type Row = [
    string,
    (app: Koa, gatehouse: Gatehouse) => void,
    string?,
    RequestInit?,
    HostOptions['gatehouse']?,
  ]
  const rows: Row[] = [
    ['for a page that a front end has for all paths', (app, g) => app.use(g.middleware()).use(page)],
    ['for a `public` route', guarded({ public: ['GET /invoices/list'] })],
    ['for an `optional` route without a token', guarded({ optional: ['GET /invoices/list'] })],
    ['if `when` decides by the path', guarded({ when: (ctx: Context) => !ctx.path.startsWith('/api/') })],
    [
      'for a path without an operation',
      (app, g) =>
        app
          .use(g.middleware())
          .use(g.gateway.middleware({ unclaimed: 'pass' }))
          .use((ctx) => void (ctx.body = [])),
      '/api/other',
    ],
    [
      'for a preflight',
      (app, g) => app.use(g.middleware()).use(cors).use(router()),
      '/api/invoices/list',
      { method: 'OPTIONS' },
    ],
    [
      'for a path below the mount of gatehouse that ends like that of an operation',
      (app, g) => {
        const other: Middleware = (ctx) => void (ctx.body = {})
        app.use(g.wellKnown()).use(mount('/auth', new Koa().use(g.middleware()).use(other) as never))
      },
      '/auth/api/invoices/list',
    ],
    [
      'of a host that sets `checkedElsewhere`',
      (app, g) => app.use(g.middleware()).use(router()),
      '/api/invoices/list',
      {},
      { checkedElsewhere: true },
    ],
  ]
  it.each(rows)('no call is reported %s', async (_title, mountAll, path, init, gatehouse) => {
    await start(mountAll, { gatehouse })
    expect([200, 204]).toContain(await status(path, init))
    expect(await found()).toEqual(QUIET)
  })

  it('no call is reported for a redirect', async () => {
    await start((app, g) => app.use(g.middleware()).use((ctx) => ctx.redirect('/api/v2')))
    expect(await status('/api/invoices/list', { redirect: 'manual' })).toBe(302)
    expect(await found()).toEqual(QUIET)
  })

  it('no call is reported that requireScope() or authenticate() accepts or rejects', async () => {
    await start((app, g) => {
      app.use(g.middleware())
      app.use(async (ctx, next) => {
        if (ctx.get('x-by') !== 'authenticate') return next()
        ctx.body = await g.gateway.authenticate(ctx.req)
        return undefined
      })
      app.use(async (ctx, next) => {
        await next()
        if (ctx.status === 401) ctx.status = 200 // an error page of the host
      })
      app.use(g.gateway.requireScope('invoices:read')).use(router())
    })
    const { body } = await host.requestDirectToken(await host.createApiKey())
    const authorization = `Bearer ${String(body['access_token'])}`
    expect(await status(undefined, { headers: { authorization } })).toBe(200)
    expect(await status(undefined, { headers: { 'x-by': 'authenticate' } })).toBe(200)
    expect(await status()).toBe(200)
    expect(await found()).toEqual(QUIET)
  })
})
