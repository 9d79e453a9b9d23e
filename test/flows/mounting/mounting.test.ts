// Also runs on: Koa 2
import { Router } from '@koa/router'
import Koa, { type Context, type Middleware } from 'koa'
import mount from 'koa-mount'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Gatehouse, GatehouseOptions, Store } from 'koa-gatehouse'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { collectOutput } from '../../support/complaints.ts'
import { startHost, type Host, type HostOptions } from '../../support/host.ts'
import { journey } from './journey.ts'
import { bystander } from './bystander.ts'

const KEYS = ['keys of the host']

type Callback = ReturnType<Koa['callback']>

type Mounting = Pick<HostOptions, 'issuerPath' | 'audiencePath' | 'serve'> & {
  readonly gatehouse?: Partial<GatehouseOptions> | undefined
  /** @param around a middleware to mount directly above gatehouse */
  readonly mount: (app: Koa, gatehouse: Gatehouse, around: Middleware) => void
  /** Addresses of the host's own pages, as clients request them. */
  readonly pages: readonly string[]
}

/** A page of the host. */
const page = (ctx: Context) => {
  ctx.body = `page ${ctx.path}`
}

/** Calls koa-mount. The parameter `what` accepts the middleware of any version of Koa's types. */
const mounted = (path: string, what: unknown) => mount(path, what as never) as unknown as Middleware

/**
 * Runs an app below `/platform`, and passes requests on as connect and Express do for `use('/platform',
 * handler)`. These frameworks remove the prefix from `request.url` and keep the whole address in
 * `request.originalUrl`.
 */
function inExpress(app: Koa, gatehouse: Gatehouse): Callback {
  const root = new Koa().use(gatehouse.wellKnown()).use(page).callback()
  const platform = app.callback()
  return (request, response) => {
    const url = request.url ?? '/'
    Object.assign(request, { originalUrl: url })
    if (!url.startsWith('/platform/')) return root(request, response)
    request.url = url.slice('/platform'.length)
    return platform(request, response)
  }
}

function standard(app: Koa, gatehouse: Gatehouse, around: Middleware): void {
  app.use(around)
  app.use(gatehouse.middleware())
  app.use(gatehouse.gateway.middleware())
}

const MOUNTINGS: Record<string, Mounting> = {
  'app.use(gatehouse.middleware())': {
    mount: standard,
    pages: ['/', '/about', '/auth', '/auth/about', '/authors'],
  },

  'koa-mount, with wellKnown() at the root': {
    mount(app, gatehouse, around) {
      app.use(around)
      app.use(gatehouse.wellKnown())
      app.use(mounted('/auth', gatehouse.middleware()))
      app.use(gatehouse.gateway.middleware())
    },
    pages: ['/', '/about', '/auth', '/auth/about', '/authors'],
  },

  'koa-mount, beside other middleware that is mounted at the same paths': {
    mount(app, gatehouse, around) {
      app.use(around)
      const passes: Middleware = (_ctx, next) => next()
      app.use(mounted('/auth', passes))
      app.use(mounted('/api', passes))
      app.use(mounted('/', passes))
      app.use(gatehouse.wellKnown())
      app.use(mounted('/auth', gatehouse.middleware()))
      app.use(mounted('/auth', passes))
      app.use(gatehouse.gateway.middleware())
    },
    pages: ['/', '/about', '/auth/about'],
  },

  'a mount inside another mount': {
    issuerPath: '/platform/auth',
    audiencePath: '/platform/api',
    mount(app, gatehouse, around) {
      app.use(around)
      app.use(gatehouse.wellKnown())
      app.use(gatehouse.gateway.wellKnown())
      const inner = new Koa()
      inner.use(mounted('/auth', gatehouse.middleware()))
      inner.use(gatehouse.gateway.middleware())
      app.use(mounted('/platform', inner))
    },
    pages: ['/', '/auth/about', '/platform', '/platform/auth/about', '/platform/about'],
  },

  'a nested router with parameters': {
    issuerPath: '/t/main/auth',
    mount(app, gatehouse, around) {
      const inner = new Router()
      inner.all('/{*path}', around as never, gatehouse.middleware() as never)
      const router = new Router()
      router.use('/t/:tenant/auth', inner.routes())
      app.use(gatehouse.wellKnown())
      app.use(router.routes() as unknown as Middleware)
      app.use(gatehouse.gateway.middleware())
    },
    pages: ['/', '/t/main', '/t/main/auth/about'],
  },

  'the issuer at the root of the host': {
    mount: standard,
    issuerPath: '',
    pages: ['/', '/about', '/interactions', '/oauth', '/.well-known/security.txt'],
  },

  'the API inside of the authorization service': {
    issuerPath: '/auth',
    audiencePath: '/auth/api',
    mount: standard,
    pages: ['/', '/auth/about', '/api/invoices/list'],
  },

  'connect or Express, by app.use(prefix, …)': {
    issuerPath: '/platform/auth',
    audiencePath: '/platform/api',
    mount: standard,
    serve: (app, gatehouse) => inExpress(app, gatehouse),
    pages: ['/', '/about', '/platform/about', '/platform/auth/about'],
  },

  'connect or Express, with mountPath for the addresses that the app gets': {
    issuerPath: '/platform/auth',
    audiencePath: '/platform/api',
    gatehouse: { mountPath: '/auth' },
    mount(app, gatehouse, around) {
      app.use(around)
      app.use(gatehouse.middleware())
      app.use(gatehouse.gateway.middleware({ mountPath: '/api' }))
    },
    serve: (app, gatehouse) => inExpress(app, gatehouse),
    pages: ['/', '/about', '/platform/about', '/platform/auth/about'],
  },

  'a proxy that strips the prefix, with mountPath': {
    gatehouse: { mountPath: '' },
    mount(app, gatehouse, around) {
      app.use(around)
      app.use(gatehouse.middleware())
      app.use(gatehouse.gateway.middleware())
    },
    serve: (app) => rewriting(app, (url) => url.replace(/^\/auth(?=\/)/, '')),
    pages: ['/', '/about', '/auth/about'],
  },

  'a proxy that changes the prefixes, with mountPath for both prefixes': {
    issuerPath: '/login/v1',
    audiencePath: '/v1',
    gatehouse: { mountPath: '/internal/auth' },
    mount(app, gatehouse, around) {
      app.use(around)
      app.use(gatehouse.middleware())
      app.use(gatehouse.gateway.middleware({ mountPath: '/internal/api' }))
    },
    serve: (app) =>
      rewriting(app, (url) =>
        url.replace(/^\/login\/v1(?=\/)/, '/internal/auth').replace(/^\/v1(?=\/)/, '/internal/api'),
      ),
    pages: ['/', '/about', '/login', '/login/v1/about'],
  },
}

/** A proxy that rewrites addresses. The app cannot see the original addresses. */
function rewriting(app: Koa, rewrite: (url: string) => string): Callback {
  const handler = app.callback()
  return (request, response) => {
    request.url = rewrite(request.url ?? '/')
    return handler(request, response)
  }
}

/** A store that never answers, like a network that drops every packet. */
function silentStore(): Store {
  return new Proxy(memoryStore(), {
    get: (target, name: keyof Store) =>
      typeof target[name] === 'function' ? () => new Promise(() => {}) : target[name],
  })
}

const output = collectOutput()
beforeEach(() => void output.lines.splice(0))
afterAll(() => output.stop())

describe.each(Object.entries(MOUNTINGS))('mounted gatehouse: %s', (_name, { pages, ...mounting }) => {
  const around = bystander()
  let host: Host
  beforeAll(async () => {
    host = await startHost({
      ...mounting,
      mount: (app, gatehouse) => mounting.mount(app, gatehouse, around.middleware),
    })
    host.app.keys = KEYS
  })
  afterAll(() => host.close())

  it('all endpoints and the API work at the configured addresses, and no warning is printed', async () => {
    await journey(host)
    expect(host.errors).toEqual([])
    expect(output.complaints()).toEqual([])
    expect(around.seen.length).toBeGreaterThan(12)
    expect(around.changes).toEqual([])
    expect(host.app.keys).toEqual(KEYS)
  })

  it("the host's own pages stay at their addresses, and never wait for the store", async () => {
    const stuck = await startHost({
      ...mounting,
      mount: (app, gatehouse) => mounting.mount(app, gatehouse, (_ctx, next) => next()),
      gatehouse: { ...mounting.gatehouse, store: silentStore(), storeTimeoutMs: 50 },
    })
    try {
      for (const path of pages) {
        const response = await host.fetch(host.origin + path)
        expect(response.status, path).toBe(200)
        expect(await response.text(), path).toMatch(/^(page|\{"reached":)/)
        // This store never answers, so a page that waited for it would never come.
        const early = await fetch(stuck.origin + path)
        expect(early.status, path).toBe(200)
      }
    } finally {
      await stuck.close()
    }
  })
})

// Only Koa 3 has `ctx.response.back()`, so this method shows the version.
it('the tests run on the major version of Koa that TEST_KOA names', () => {
  const version = 'back' in new Koa().response ? '3' : '2'
  expect(version).toBe(process.env['TEST_KOA'] ?? '3')
})

/** Shows that the tests above pass only because gatehouse is mounted. */
it('if gatehouse is not mounted, it does not answer', async () => {
  const host = await startHost({ mount: (app) => void app.use(page) })
  const response = await fetch(`${host.issuer}/.well-known/openid-configuration`)
  expect(await response.text()).toBe('page /auth/.well-known/openid-configuration')
  await host.close()
})
