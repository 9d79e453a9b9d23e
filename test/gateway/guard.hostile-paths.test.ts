import Koa, { type Context, type Middleware } from 'koa'
import mount from 'koa-mount'
import { Router } from '@koa/router'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestGateway, serveRaw, type RawServer } from './support/api.ts'
import { TARGETS } from './support/hostile-paths.ts'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'TRACE']

const isBelow = (path: string) => /^\/api(?:\/|$)/i.test(path)

/** Ways in which a host might decide that a request is for its API. */
const ROUTINGS: Record<string, (reach: (ctx: Context) => void) => Middleware> = {
  '@koa/router': (reach) => {
    const router = new Router({ prefix: '/api' })
    router.all('/', reach)
    router.all('/invoices/list', reach)
    router.all('/invoices/:id', reach)
    router.all('/{*rest}', reach)
    return router.routes() as Middleware
  },
  'koa-mount': (reach) => mount('/api', async (ctx: Context) => reach(ctx)) as Middleware,
  'a prefix of ctx.path': (reach) => async (ctx, next) => (isBelow(ctx.path) ? reach(ctx) : next()),
  'a prefix of ctx.url': (reach) => async (ctx, next) =>
    isBelow(ctx.url.replace(/[?#].*/, '')) ? reach(ctx) : next(),
  'cutting off the authority': (reach) => async (ctx, next) =>
    isBelow(ctx.url.replace(/^[a-z]+:\/\/[^/?#]*/i, '').replace(/[?#].*/, '')) ? reach(ctx) : next(),
  'WHATWG URL': (reach) => async (ctx, next) => (isBelow(ctx.URL.pathname ?? '') ? reach(ctx) : next()),
  'decoding first': (reach) => async (ctx, next) => (isBelow(decode(decode(ctx.path))) ? reach(ctx) : next()),
  'decoding, then resolving': (reach) => async (ctx, next) => {
    const path = decode(ctx.path).replaceAll('\\', '/').replaceAll(/\/+/g, '/')
    const resolved = URL.parse(path, 'http://h')?.pathname ?? path
    return isBelow(resolved) ? reach(ctx) : next()
  },
  'dropping matrix parameters': (reach) => async (ctx, next) =>
    isBelow(ctx.path.replaceAll(/;[^/]*/g, '')) ? reach(ctx) : next(),
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

it('behind the gateway, no hostile path without a token reaches a host, however the host routes', async () => {
  const { gateway } = await createTestGateway()
  const reached: string[] = []
  const routings = Object.entries(ROUTINGS).map(([name, routing]) =>
    routing((ctx) => {
      reached.push(`${ctx.method} ${ctx.url} by ${name}`)
      ctx.body = 'secret'
    }),
  )
  const app = new Koa()
  app.silent = true
  app.use(gateway.middleware())
  app.use(async (ctx) => {
    for (const routing of routings) await routing(ctx, async () => {})
  })
  const server = await serveRaw(app)
  const wrong: string[] = []
  for (const target of TARGETS) {
    for (const method of target === '/api/invoices/list' ? METHODS : ['GET', 'POST']) {
      const { status, text } = await server.send(
        `${method} ${target} HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n`,
      )
      if (![400, 401, 404].includes(status) || text.includes('secret'))
        wrong.push(`${method} ${target} ${status}`)
    }
  }
  expect({ reached, wrong }).toEqual({ reached: [], wrong: [] })
  await server.close()
})

it('each of these hosts answers a plain path below its API, which no gateway guards', async () => {
  const reached = new Set<string>()
  const routings = Object.entries(ROUTINGS).map(([name, routing]) => routing(() => void reached.add(name)))
  const app = new Koa()
  app.use(async (ctx) => {
    for (const routing of routings) await routing(ctx, async () => {})
  })
  const server = await serveRaw(app)
  await server.send('GET /api/invoices/list HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n')
  expect([...reached]).toEqual(Object.keys(ROUTINGS))
  await server.close()
})

it('a path that no router reads as part of the API passes the gateway, whether the path is canonical or not', async () => {
  const { gateway } = await createTestGateway()
  const app = new Koa()
  app.use(gateway.middleware())
  app.use((ctx) => void (ctx.body = 'the site'))
  const server = await serveRaw(app)
  for (const target of [
    '/',
    '/docs//a',
    '/docs/%2e%2e/x',
    '/docs/a;b',
    '/apis',
    '/v1/api/x',
    'http://example.com/docs',
    '/docs?next=/api',
    '/docs/%zz',
  ]) {
    const { status, text } = await server.send(
      `GET ${target} HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n`,
    )
    expect({ target, status }).toEqual({ target, status: 200 })
    expect(text).toContain('the site')
  }
  await server.close()
})

describe('the operation that the gateway checks and the operation that the router runs', () => {
  let server: RawServer
  let ran: string[] = []
  let tokens: Record<string, string>

  beforeAll(async () => {
    const { gateway, issuer } = await createTestGateway()
    const app = new Koa()
    const router = new Router({ prefix: '/api' })
    router.get('/reports/all', (ctx) => void (ran.push('all'), (ctx.body = 'all')))
    router.get('/reports/:id', (ctx) => void (ran.push('one'), (ctx.body = ctx['params']['id'])))
    app.use(gateway.middleware())
    app.use(router.routes())
    server = await serveRaw(app)
    tokens = {
      one: await issuer.mint({ scope: 'reports:read' }),
      all: await issuer.mint({ scope: 'reports:all' }),
    }
  })
  afterAll(() => server.close())

  const get = async (target: string, token: string) => {
    ran = []
    return server.send(
      `GET ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${tokens[token]}\r\nConnection: close\r\n\r\n`,
    )
  }

  it.each([
    '/api/reports/all',
    '/api/reports/ALL',
    '/API/Reports/All/',
    '/api/reports/%61ll',
    '/api/reports/a%6Cl',
    '/api/reports/%2561ll',
    '/api/reports/all%2F',
    '/api/reports/all%00',
    '/api/reports/x/../all',
    '/api/reports/./all',
    '/api/reports//all',
    '/api//reports/all',
    '/api/reports/all;x',
    '/api/reports/all%3Bx',
    'http://x/api/reports/all',
    'http://x/api/reports/%61ll',
  ])('the scope of /reports/:id does not open /reports/all, which the request spells %s', async (target) => {
    await get(target, 'one')
    expect(ran).not.toContain('all')
  })

  it('each operation can be called with its scope', async () => {
    for (const target of [
      '/api/reports/all',
      '/API/Reports/All/',
      '/api/reports/all?x',
      'http://x/api/reports/all',
    ]) {
      expect((await get(target, 'all')).status).toBe(200)
      expect(ran).toEqual(['all'])
    }
    for (const [target, id] of [
      ['/api/reports/7', '7'],
      ['/api/reports/a%20b', 'a b'],
      ['/api/reports/all%20', 'all '],
      ['/api/reports/100%25', '100%'],
      ['/api/reports/a%3Fb%23c%3Bd', 'a?b#c;d'],
    ] as const) {
      const { status, text } = await get(target, 'one')
      expect({ target, status, ran }).toEqual({ target, status: 200, ran: ['one'] })
      expect(text.endsWith(id)).toBe(true)
    }
  })
})
