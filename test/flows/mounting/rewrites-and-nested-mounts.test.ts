import Koa, { type Middleware } from 'koa'
import mount from 'koa-mount'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { silentLogger } from '../../../src/host/logger.ts'
import { products } from '../../fixtures/products.ts'
import { startHost, type Host, type HostOptions } from '../../support/host.ts'

const mounted = (path: string, what: unknown) => mount(path, what as never) as unknown as Middleware
const limiter: Middleware = (_ctx, next) => next()
const replaces =
  (from: string | RegExp, to: string): Middleware =>
  (ctx, next) => {
    ctx.url = ctx.url.replace(from, to)
    return next()
  }
const language = replaces(/^\/de\//, '/')
const outer = (...middleware: Middleware[]) => {
  const app = new Koa()
  for (const each of middleware) app.use(each)
  return app
}

/** {base_url}, an address, and how the app of the API is mounted. */
const HOSTS: Record<string, readonly [base: string, address: string, mountApp: (app: Koa) => Middleware[]]> =
  {
    'mounts that reach below {base_url}': [
      '/api',
      '/de/api/invoices/list',
      (app) => [language, mounted('/api', outer(mounted('/invoices', app)))],
    ],
    'mounts that reach {base_url}': [
      '/shop/api',
      '/de/shop/api/invoices/list',
      (app) => [language, mounted('/shop', outer(mounted('/api', app)))],
    ],
    'a language prefix, and a limiter that is mounted in the mounted app': [
      '/shop/api',
      '/de/shop/api/invoices/list',
      (app) => [language, mounted('/shop', outer(mounted('/api', limiter), mounted('/', app)))],
    ],
    'a service prefix that is also the path of a limiter in the mounted app': [
      '/api',
      '/invoices/api/invoices/list',
      (app) => [
        replaces(/^\/invoices\//, '/'),
        mounted('/api', outer(mounted('/invoices', limiter), mounted('/', app))),
      ],
    ],
  }

describe('a rewrite above nested mounts', () => {
  let host: Host
  const warn = vi.fn()
  const gatewayWarnings = () =>
    warn.mock.calls.filter(([, text]) => String(text).includes('above the gateway'))
  afterEach(async () => {
    await host.close()
    warn.mockClear()
  })

  const start = (options: HostOptions, mountApp: (app: Koa) => Middleware[]) =>
    startHost({
      mount: (app, gatehouse) => void app.use(gatehouse.gateway.middleware()),
      serve: (app, gatehouse) => outer(gatehouse.middleware(), ...mountApp(app)).callback(),
      ...options,
      gatehouse: { logger: { ...silentLogger, warn }, ...options.gatehouse },
    })
  const tokenFor = async (product: string) =>
    (await host.requestDirectToken(await host.createApiKey([product]))).body['access_token'] as string
  const get = async (path: string, token?: string) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
    return (await host.fetch(host.origin + path, { headers })).status
  }

  it.each(Object.entries(HOSTS))(
    'hides no path below {base_url}: %s',
    async (_name, [base, address, app]) => {
      host = await start({ audiencePath: base }, app)
      const [right, wrong] = [await tokenFor('invoices'), await tokenFor('payments')]
      expect([await get(address), await get(address, wrong)]).toEqual([401, 403])
      expect(host.reached).toEqual([])
      expect(await get(address, right)).toBe(200)
      expect(host.reached).toHaveLength(1)
    },
  )

  // The handlers of `/api/invoices/list` and of `/api/api/invoices/list` see the same path.
  const twoOperations = {
    invoices: products.invoices,
    archive: {
      title: 'Archive',
      operations: { 'archive:read': { route: 'GET /:area/invoices/list', title: 'Read the archive' } },
    },
  } as const

  it('a call that may belong to one of two operations gets 404, and the cause is logged once', async () => {
    host = await start({ gatehouse: { products: twoOperations } }, (app) => [
      language,
      mounted('/api', outer(mounted('/api', app))),
    ])
    for (const token of [await tokenFor('invoices'), await tokenFor('archive'), undefined])
      expect(await get('/de/api/api/invoices/list', token)).toBe(404)
    expect(host.reached).toEqual([])
    expect(gatewayWarnings()).toHaveLength(1)
  })

  it('a public route does not open the operation that another reading of the path names', async () => {
    host = await start(
      {
        gatehouse: {
          products: {
            invoices: {
              title: 'Invoices',
              operations: { 'invoices:read': { route: 'GET /list', title: 'Read' } },
            },
          },
        },
        mount(app, gatehouse) {
          app.use(replaces('/api/api/', '/api/')).use(mounted('/api', limiter))
          app.use(
            gatehouse.gateway.middleware({ public: ['GET /:language/list'], optional: ['GET /:language/x'] }),
          )
        },
      },
      (app) => [mounted('/', app)],
    )
    expect(await get('/api/api/list')).toBe(404)
    expect(host.reached).toEqual([])
    expect(gatewayWarnings()).toHaveLength(1)
    expect([await get('/api/de/list'), await get('/api/list')]).toEqual([200, 401])
    expect(await get('/api/list', await tokenFor('invoices'))).toBe(200)
  })
})
