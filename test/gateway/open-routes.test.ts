import type Koa from 'koa'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import type { PublicRoute } from '../../src/gateway/open-routes.ts'
import type { GatewayMiddlewareOptions } from '../../src/gateway/guard.ts'
import { createApp, createTestGateway } from './support/api.ts'

const serve = (routes: readonly PublicRoute[]) => serveWith({ public: routes })

async function serveWith(options: GatewayMiddlewareOptions) {
  const { gateway, issuer } = await createTestGateway()
  const { app, reached } = createApp((app: Koa) => app.use(gateway.middleware(options)))
  const valid = bearer(await issuer.mint())
  return { agent: request(app.callback()), reached, issuer, valid }
}

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` })

describe('a public route', () => {
  it('a public route needs no token, and ignores an invalid token', async () => {
    const { agent, reached, issuer, valid } = await serve(['GET /health'])
    await agent.get('/api/health').expect(200)
    await agent.head('/api/health/').expect(200)
    await agent.get('/API/Health?access_token=x').set('Authorization', 'Bearer nonsense').expect(200)
    await agent.get('/api/health').set(valid).expect(200)
    expect(reached).toEqual([undefined, undefined, undefined, undefined])
    expect(issuer.lookups()).toBe(0)
  })

  it('a public route is open only for its method', async () => {
    const { agent, reached } = await serve(['GET /health', 'OPTIONS /invoices/list'])
    await agent.post('/api/health').expect(404)
    await agent.get('/api/health/x').expect(404)
    await agent.get('/api/invoices/list').expect(401)
    expect(reached).toHaveLength(0)
    await agent.options('/api/invoices/list').expect(200)
  })

  it('an operation has precedence over a public route with a parameter', async () => {
    const { agent, reached } = await serve(['GET /docs/:page', 'GET /:kind/:name'])
    await agent.get('/api/docs/a%20b').expect(200)
    await agent.get('/api/docs').expect(404)
    await agent.get('/api/docs/a/b').expect(404)
    await agent.get('/api/docs/a%2Fb').expect(404)
    await agent.get('/api/docs//').expect(404)
    expect(reached).toHaveLength(1)
    await agent.get('/api/invoices/list').expect(401)
    await agent.get('/api/reports/all').expect(401)
    await agent.get('/api/reports/a%6Cl').expect(404)
    await agent.get('/api/report%C5%BF/7').expect(404)
    expect(reached).toHaveLength(1)
    await agent.get('/api/others/7').expect(200)
  })

  it('an exact public route has precedence over an operation with a parameter, but only for exactly that path', async () => {
    const { agent, reached } = await serve(['GET /invoices/sample'])
    await agent.get('/api/invoices/sample').expect(200)
    await agent.get('/api/invoices/SAMPLE').expect(401)
    await agent.get('/api/invoices/other').expect(401)
    expect(reached).toHaveLength(1)
  })

  it('a percent-encoded public route opens no other route', async () => {
    const { agent } = await serve(['GET /a%20b', 'GET /x,y'])
    await agent.get('/api/a%20b').expect(200)
    await agent.get('/api/x,y').expect(200)
    await agent.get('/api/x%2Cy').expect(404)
    await agent.get('/api/a%2520b').expect(404)
  })
})

it('a public route in Unicode does not open the ASCII route to which routers may fold it', async () => {
  const { agent, reached } = await serve(['GET /reports/a\u2113l', 'GET /reports/a%E2%84%93l/x'])
  await agent.get('/api/reports/a%E2%84%93l').expect(404)
  await agent.get('/api/reports/a%E2%84%93l/x').expect(200)
  expect(reached).toHaveLength(1)
})

describe('an optional route', () => {
  it('an optional route accepts calls without a token, and rejects an invalid token', async () => {
    const { agent, reached, issuer, valid } = await serveWith({
      optional: ['GET /articles', 'GET /invoices/list'],
    })
    await agent.get('/api/articles').expect(200)
    await agent.head('/api/Articles/').expect(200)
    await agent.get('/api/invoices/list').expect(200)
    await agent.get('/api/articles').set('Authorization', 'Basic dTpw').expect(200)
    expect(reached).toEqual([undefined, undefined, undefined, undefined])

    for (const path of ['/api/articles', '/api/invoices/list']) {
      await agent.get(path).set(bearer('nonsense')).expect(401)
      const expired = await agent
        .get(path)
        .set(bearer(await issuer.mint({ exp: 1 })))
        .expect(401)
      expect(expired.body.error).toBe('invalid_token')
      await agent.get(path).set('Authorization', 'Bearer').expect(400)
      await agent.get(`${path}?access_token=x`).expect(400)
    }
    expect(reached).toHaveLength(4)
    await agent
      .get('/api/articles')
      .set(bearer(await issuer.mint({ scope: '' })))
      .expect(200)
    await agent.get('/api/invoices/list').set(valid).expect(200)
    expect(reached.slice(4)).toMatchObject([{ accountId: 'acme' }, { accountId: 'acme' }])
  })

  it('a call with a token at an optional route needs the scope of the operation', async () => {
    const { agent, reached, issuer } = await serveWith({ optional: ['GET /invoices/list'] })
    const { body } = await agent
      .get('/api/invoices/list')
      .set(bearer(await issuer.mint({ scope: 'reports:read' })))
      .expect(403)
    expect(body.error).toBe('insufficient_scope')
    expect(reached).toHaveLength(0)
  })

  it('an optional route is open only for its method', async () => {
    const { agent, reached } = await serveWith({ optional: ['GET /articles', 'GET /invoices/create'] })
    await agent.post('/api/articles').expect(404)
    await agent.post('/api/invoices/create').expect(401)
    expect(reached).toHaveLength(0)
  })

  it('an optional route with a parameter opens only the operation with the same route', async () => {
    const { agent, reached } = await serveWith({ optional: ['GET /invoices/:number', 'GET /reports/:id'] })
    await agent.get('/api/invoices/7').expect(200)
    await agent.get('/api/reports/7').expect(200)
    expect(reached).toEqual([undefined, undefined])
    // `/invoices/list` is another route of the same operation, and stays closed. Other operations stay
    // closed.
    await agent.get('/api/invoices/list').expect(401)
    await agent.get('/api/reports/all').expect(401)
    await agent.get('/api/reports/ALL').expect(404)
    await agent.get('/api/reports/al%6C').expect(404)
    await agent.get('/api/reports/a%E2%84%93l').expect(404)
    expect(reached).toHaveLength(2)
  })

  it('a trailing slash keeps an optional route open if every operation that a router may run for this path is optional', async () => {
    const both = await serveWith({ optional: ['GET /reports', 'GET /reports/:id'] })
    await both.agent.get('/api/reports/').expect(200)
    await both.agent.get('/api/reports/').set(bearer('nonsense')).expect(401)
    const one = await serveWith({ optional: ['GET /reports'] })
    await one.agent.get('/api/reports').expect(200)
    await one.agent.get('/api/reports/').expect(404)
    const open = await serveWith({ public: ['GET /reports'], optional: ['GET /reports/:id'] })
    await open.agent.get('/api/reports').set(bearer('nonsense')).expect(200)
    await open.agent.get('/api/reports/').set(bearer('nonsense')).expect(401)
  })

  it('an exact optional route opens an operation with a parameter, but only for exactly that path', async () => {
    const { agent, reached } = await serveWith({ optional: ['GET /invoices/sample'] })
    await agent.get('/api/invoices/sample').expect(200)
    await agent.get('/api/invoices/SAMPLE').expect(401)
    await agent.get('/api/invoices/other').expect(401)
    expect(reached).toHaveLength(1)
  })

  it('an optional route has precedence over a public route that is less exact', async () => {
    const { agent } = await serveWith({ public: ['GET /docs/:page'], optional: ['GET /docs/mine'] })
    await agent.get('/api/docs/mine').set(bearer('nonsense')).expect(401)
    await agent.get('/api/docs/other').set(bearer('nonsense')).expect(200)
  })

  it('a call without a token at an optional route does not bypass requireScope()', async () => {
    const { gateway, issuer } = await createTestGateway()
    const { app, reached } = createApp((app: Koa) => {
      app.use(gateway.middleware({ optional: ['GET /articles'] }))
      app.use(gateway.requireScope('invoices:read'))
    })
    const agent = request(app.callback())
    await agent.get('/api/articles').expect(401)
    await agent
      .get('/api/articles')
      .set(bearer(await issuer.mint({ scope: 'reports:read' })))
      .expect(403)
    expect(reached).toHaveLength(0)
    await agent
      .get('/api/articles')
      .set(bearer(await issuer.mint()))
      .expect(200)
  })
})

describe('the middleware with unclaimed: pass', () => {
  it('unclaimed: pass accepts a call of a path that no operation claims, and ignores the token of the call', async () => {
    const { agent, reached, issuer } = await serveWith({ unclaimed: 'pass' })
    for (const path of [
      '/api',
      '/api/',
      '/api/app',
      '/api/app/',
      '/api/articles/caf%C3%A9',
      '/api/invoices',
    ]) {
      await agent.get(path).set(bearer('nonsense')).expect(200)
      await agent.post(path).expect(200)
    }
    expect(reached.every((auth) => auth === undefined)).toBe(true)
    expect(issuer.lookups()).toBe(0)
  })

  it('unclaimed: pass guards every path that an operation claims, for every method and however a router reads the path', async () => {
    const { agent, reached } = await serveWith({ unclaimed: 'pass' })
    await agent.get('/api/invoices/list').expect(401)
    await agent.get('/API/Invoices/List/').expect(401)
    await agent.post('/api/invoices/create').expect(401)
    // The path stays closed for all other methods, because many handlers check only the path.
    for (const method of ['put', 'delete', 'options', 'patch'] as const) {
      await agent[method]('/api/invoices/list').expect(404)
    }
    for (const path of [
      '/api/invoice%C5%BF/list',
      '/api/%C4%B1nvoices/list',
      '/api/%C4%B0nvoices/list',
      '/api/%EF%BD%89nvoices/list',
      '/api/invoices%EF%BC%8Flist',
      '/api/invoices/',
      '/api/invoices//list',
      '/api/app/../invoices/list',
      '/api/%69nvoices/list',
      '/api/invoices;x/list',
    ]) {
      const { status } = await agent.get(path)
      expect({ path, status }).toEqual({ path, status: 404 })
    }
    expect(reached).toHaveLength(0)
  })

  it('unclaimed: pass rejects a path whose operation is disabled, and every path while the gateway is not ready', async () => {
    const { gateway } = await createTestGateway({ findScope: () => undefined })
    const { app, reached } = createApp((app: Koa) => app.use(gateway.middleware({ unclaimed: 'pass' })))
    await request(app.callback()).get('/api/invoices/list').expect(404)
    const { gateway: away } = await createTestGateway({ ready: () => Promise.reject(new Error('away')) })
    const notReady = createApp((app: Koa) => app.use(away.middleware({ unclaimed: 'pass' })))
    await request(notReady.app.callback()).get('/api/app').expect(503)
    expect([...reached, ...notReady.reached]).toEqual([])
  })

  it('a path that no operation claims gets 404 by default', async () => {
    const { agent, reached } = await serveWith({ unclaimed: 'reject' })
    await agent.get('/api/app').expect(404)
    expect(reached).toHaveLength(0)
  })
})

describe('an open route that can never match', () => {
  const construct = async (options: GatewayMiddlewareOptions) => {
    const { gateway } = await createTestGateway()
    return () => gateway.middleware(options)
  }

  it('a route that can never match is rejected at construction', async () => {
    const routes: [options: GatewayMiddlewareOptions, path: string][] = [
      // It repeats the path of the audience, or the mount path.
      [{ public: ['GET /api/health'] }, 'public[0]'],
      [{ optional: ['GET /docs', 'GET /api'] }, 'optional[1]'],
      [{ mountPath: '/v1', public: ['GET /v1/health'] }, 'public[0]'],
      // It has a parameter and is the route of an operation, or it is public and optional.
      [{ public: ['GET /invoices/:id'] }, 'public[0]'],
      [{ public: ['GET /a/:b'], optional: ['GET /a/:c'] }, 'optional[0]'],
    ]
    for (const [options, path] of routes) {
      expect(await construct(options)).toThrow(
        expect.objectContaining({ code: 'ERR_OPTIONS', problems: [expect.objectContaining({ path })] }),
      )
    }
  })

  it('a route that may match is accepted at construction', async () => {
    for (const options of [
      { public: ['GET /apis', 'GET /:kind/:name', 'POST /invoices/:id', 'OPTIONS /invoices/:id'] },
      { optional: ['GET /invoices/:id', 'GET /invoices/list'] },
      { mountPath: '', public: ['GET /api/health'] },
    ] satisfies GatewayMiddlewareOptions[]) {
      expect(await construct(options)).not.toThrow()
    }
  })

  it('a route is accepted at construction while the products are not loaded', async () => {
    const { gateway } = await createTestGateway({ findClaims: () => [] })
    expect(() => gateway.middleware({ public: ['GET /invoices/:id'] })).not.toThrow()
  })
})

it('all malformed open routes are reported at once', async () => {
  const { gateway } = await createTestGateway()
  const wrong = [
    'GET /ok',
    'get /health',
    'GET health',
    '/health',
    'FETCH /x',
    'HEAD /x',
    'GET /a//b',
    'GET /a*',
    7,
  ]
  expect(() => gateway.middleware({ public: wrong as PublicRoute[] })).toThrow(
    expect.objectContaining({
      code: 'ERR_OPTIONS',
      problems: [1, 2, 3, 4, 5, 6, 7, 8].map((i) => expect.objectContaining({ path: `public[${i}]` })),
    }),
  )
  expect(() => gateway.middleware({ public: 'health' as never })).toThrow(
    expect.objectContaining({ code: 'ERR_OPTIONS' }),
  )
})
