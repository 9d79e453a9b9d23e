import Koa, { type Context, type Middleware } from 'koa'
import mount from 'koa-mount'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { silentLogger } from '../../../src/host/logger.ts'
import { startHost, type Host, type HostOptions } from '../../support/host.ts'

const mounted = (path: string, what: unknown) => mount(path, what as never) as unknown as Middleware
const page = (ctx: Context) => void (ctx.body = `page ${ctx.path}`)
const passes: Middleware = (_ctx, next) => next()
const rewrites = (change: (ctx: Context) => void): Middleware => {
  return (ctx, next) => {
    change(ctx)
    return next()
  }
}

/** Middleware above a mounted app, and an address that it turns into `/shop/api/invoices/list`. */
const ABOVE: Record<string, readonly [address: string, above: Middleware]> = {
  'a language prefix that is removed from ctx.path': [
    '/de/shop/api/invoices/list',
    rewrites((ctx) => void (ctx.path = ctx.path.replace(/^\/de\//, '/'))),
  ],
  'a prefix that is replaced in ctx.url': [
    '/v2/api/invoices/list',
    rewrites((ctx) => void (ctx.url = ctx.url.replace('/v2/', '/shop/'))),
  ],
  'a stripped prefix that is put back': [
    '/api/invoices/list',
    rewrites((ctx) => void (ctx.url = ctx.url.startsWith('/shop/') ? ctx.url : `/shop${ctx.url}`)),
  ],
}

describe('a rewrite above a mounted app', () => {
  let host: Host
  const warn = vi.fn()
  const gatewayWarnings = () =>
    warn.mock.calls.filter(([, text]) => String(text).includes('above the gateway'))

  const start = (options: HostOptions, outer?: (outer: Koa, app: Koa) => void) =>
    startHost({
      ...options,
      gatehouse: { logger: { ...silentLogger, warn } },
      ...(outer && {
        issuerPath: '/shop/auth',
        audiencePath: '/shop/api',
        serve(app, gatehouse) {
          const root = new Koa().use(gatehouse.wellKnown())
          outer(root, app)
          return root.use(page).callback()
        },
      }),
    })
  const get = async (path: string, token?: unknown) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token as string}` }
    return (await host.fetch(host.origin + path, { headers })).status
  }
  afterEach(async () => {
    await host.close()
    warn.mockClear()
  })

  it.each(Object.entries(ABOVE))(
    'a mounted API is guarded, and the token endpoint answers, below %s',
    async (_name, [address, above]) => {
      host = await start({}, (outer, app) => outer.use(above).use(mounted('/shop', app)))
      const { client_id, client_secret } = await host.createApiKey()
      expect(await get(address)).toBe(401)
      expect(host.reached).toEqual([])

      const tokenAddress = address.replace('/api/invoices/list', '/auth/oauth2/token')
      const answer = await host.fetch(host.origin + tokenAddress, {
        method: 'POST',
        body: new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret }),
      })
      expect(answer.status).toBe(200)
      const { access_token: token } = (await answer.json()) as { access_token: string }
      expect([await get(address, token), await get(address, 'x')]).toEqual([200, 401])
      expect(host.reached).toEqual(['GET /api/invoices/list'])
      const narrow = await host.requestDirectToken(await host.createApiKey(['payments']))
      expect(await get(address, narrow.body['access_token'])).toBe(403)
      expect(gatewayWarnings()).toEqual([])
    },
  )

  it('a mounted API is guarded in nested mounts below a rewrite, and ordinary pages pass without a log line', async () => {
    host = await startHost({
      gatehouse: { logger: { ...silentLogger, warn } },
      issuerPath: '/platform/shop/auth',
      audiencePath: '/platform/shop/api',
      serve: (app) =>
        new Koa()
          .use(ABOVE['a language prefix that is removed from ctx.path']![1])
          .use(mounted('/platform', new Koa().use(mounted('/shop', app))))
          .use(page)
          .callback(),
    })
    const { body } = await host.requestDirectToken(await host.createApiKey())
    for (const prefix of ['', '/de']) {
      const address = `${prefix}/platform/shop/api/invoices/list`
      expect([await get(address), await get(address, body['access_token'])]).toEqual([401, 200])
      expect(await get(`${prefix}/platform/shop/about`)).toBe(200)
      expect(await get(`${prefix}/about`)).toBe(200)
    }
    expect(gatewayWarnings()).toEqual([])
  })

  it('a call whose path was rewritten to a path outside of {base_url} gets 404, and the cause is logged once', async () => {
    host = await start({
      mount(app, gatehouse) {
        app.use(rewrites((ctx) => void (ctx.path = ctx.path.replace('/api/old/', '/archive/'))))
        app.use(gatehouse.middleware())
        app.use(gatehouse.gateway.middleware({ when: (ctx) => ctx.path !== '/archive/open' }))
      },
    })
    for (let i = 0; i < 3; i += 1) expect(await get('/api/old/x')).toBe(404)
    expect(host.reached).toEqual([])
    expect(gatewayWarnings()).toHaveLength(1)
    expect(await get('/api/old/open')).toBe(200)
    expect(await get('/archive/x')).toBe(200)
  })

  it('a rewrite from one path below {base_url} to another needs the scope of the path that the handler sees', async () => {
    host = await start({
      mount(app, gatehouse) {
        app.use(rewrites((ctx) => void (ctx.path = ctx.path.replace('/api/v0/', '/api/'))))
        app.use(gatehouse.middleware())
        app.use(gatehouse.gateway.middleware())
      },
    })
    const { body } = await host.requestDirectToken(await host.createApiKey())
    const narrow = await host.requestDirectToken(await host.createApiKey(['payments']))
    expect(await get('/api/v0/invoices/list')).toBe(401)
    expect(await get('/api/v0/invoices/list', narrow.body['access_token'])).toBe(403)
    expect(await get('/api/v0/invoices/list', body['access_token'])).toBe(200)
    expect(gatewayWarnings()).toEqual([])
  })

  it('the ctx.mountPath that a mount leaves behind makes no page of the host 404', async () => {
    host = await start({
      mount(app, gatehouse) {
        for (const path of ['/shop', '/api', '/auth', '/docs']) app.use(mounted(path, passes))
        app.use(rewrites((ctx) => void (ctx.path = ctx.path.replace('/docs/api/', '/help/'))))
        app.use(gatehouse.middleware())
        app.use(gatehouse.gateway.middleware())
      },
    })
    for (const path of ['/', '/shop', '/shop/api', '/shop/about', '/auth/about', '/docs', '/docs/api/x'])
      expect([path, await get(path)]).toEqual([path, 200])
    expect(await get('/api/invoices/list')).toBe(401)
    expect(gatewayWarnings()).toEqual([])
  })
})
