// Also runs on: Koa 2
import { noRevocations } from '../../src/gateway/dependencies.ts'
import Koa from 'koa'
import { errors } from 'jose'
import mount from 'koa-mount'
import request from 'supertest'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { GatewayDependencies } from '../../src/gateway/dependencies.ts'
import type { Gateway } from '../../src/gateway/gateway.ts'
import type { GatewayMiddlewareOptions } from '../../src/gateway/guard.ts'
import type { Principal } from '../../src/gateway/principal.ts'
import { createApp, createTestGateway, serveRaw } from './support/api.ts'
import type { TokenIssuer } from './support/token-issuer.ts'

const REALM = 'realm="https://example.com/api"'
const METADATA = 'resource_metadata="https://example.com/.well-known/oauth-protected-resource/api"'

let gateway: Gateway
let issuer: TokenIssuer

beforeEach(async () => {
  ;({ gateway, issuer } = await createTestGateway())
})
afterEach(() => void vi.useRealTimers())

/** Serves an app behind the gateway. A middleware before the gateway sets a CORS header, as hosts do. */
function serve(use: (app: Koa) => void = (app) => app.use(gateway.middleware())) {
  const { app, reached, errors } = createApp((app) => {
    app.use(async (ctx, next) => {
      ctx.set('Access-Control-Allow-Origin', '*')
      await next()
    })
    use(app)
  })
  const callback = app.callback()
  return { reached, errors, agent: request(callback) }
}

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` })

describe('a call with a valid token', () => {
  it('a call with the scope of its operation reaches the handler with the principal', async () => {
    const { agent, reached } = serve()
    const token = await issuer.mint({ user_id: 'u1', access_mode: 'delegated', grant_id: 'g1', sub: 'acme' })
    const { body } = await agent.get('/api/invoices/list?x=1').set(bearer(token)).expect(200)
    expect(body).toEqual({ path: '/api/invoices/list' })
    const [principal] = reached as Principal[]
    expect(principal).toMatchObject({
      mode: 'delegated',
      accountId: 'acme',
      userId: 'u1',
      clientId: 'key_1',
      grantId: 'g1',
      scopes: ['invoices:read'],
      claims: { sub: 'acme' },
    })
    expect(principal?.expiresAt).toBeGreaterThan(Date.now() / 1000)
    expect(Object.isFrozen(principal)).toBe(true)
  })

  it('a HEAD request needs the scope of the GET operation', async () => {
    const { agent, reached } = serve()
    await agent
      .head('/api/invoices/list')
      .set(bearer(await issuer.mint()))
      .expect(200)
    expect(reached).toHaveLength(1)
  })

  it('the signature of a cached token is verified once', async () => {
    const { agent, reached } = serve()
    const token = await issuer.mint()
    for (let call = 0; call < 5; call += 1) await agent.get('/api/invoices/7').set(bearer(token)).expect(200)
    expect(issuer.lookups()).toBe(1)
    expect(reached).toHaveLength(5)
  })
})

interface Expected {
  status: number
  error?: string | undefined
  challenge?: RegExp | undefined
}

/** Checks all parts of an error response, and that the handler was not reached. */
async function expectRejection(
  { agent, reached, errors }: ReturnType<typeof serve>,
  call: (agent: ReturnType<typeof serve>['agent']) => request.Test,
  { status, error, challenge }: Expected,
) {
  const response = await call(agent)
  expect(response.status).toBe(status)
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
  expect(response.headers['cache-control']).toBe('no-store')
  expect(response.headers['access-control-allow-origin']).toBe('*')
  const body = response.body as { error?: string; error_description?: string }
  expect(body.error).toBe(error)
  expect(body.error_description).toMatch(/\w/)
  const header = response.headers['www-authenticate']
  if (challenge === undefined) expect(header).toBeUndefined()
  else {
    expect(header).toMatch(challenge)
    expect(header).toContain(`Bearer ${REALM}`)
    expect(header).toContain(METADATA)
  }
  expect(reached).toEqual([])
  expect(errors).toEqual([])
  return { body, header: header ?? '' }
}

describe('a call without a token', () => {
  it.each([{}, { Authorization: 'Basic YTpi' }, { Cookie: 'access_token=a' }])(
    'a call with %j and no token gets 401 without an error code',
    async (headers) => {
      const { header, body } = await expectRejection(
        serve(),
        (agent) => agent.get('/api/invoices/list').set(headers),
        {
          status: 401,
          challenge: /^Bearer /,
        },
      )
      expect(header).toBe(`Bearer ${REALM}, scope="invoices:read", ${METADATA}`)
      expect(body).toEqual({
        error_description: 'send an access token in the header "Authorization: Bearer <ACCESS_TOKEN>"',
      })
    },
  )

  it('a token in the body is ignored', async () => {
    const token = await issuer.mint({ scope: 'invoices:create' })
    await expectRejection(
      serve(),
      (agent) => agent.post('/api/invoices/create').type('form').send({ access_token: token }),
      { status: 401, challenge: /^Bearer / },
    )
  })
})

describe('a call with an invalid token', () => {
  const expected = {
    status: 401,
    error: 'invalid_token',
    challenge: /error="invalid_token", error_description="[^"]+"/,
  }
  const past = Math.floor(Date.now() / 1000) - 1

  it.each([
    ['that has expired', { exp: past }],
    ['from another issuer', { iss: 'https://evil.example' }],
    ['for another audience', { aud: 'https://example.com' }],
    ['that is sender-constrained', { cnf: { jkt: 'x' } }],
    ['with a scope that is a list', { scope: ['invoices:read'] }],
  ])('a call with a token %s gets 401 invalid_token', async (_, claims) => {
    const token = await issuer.mint(claims)
    await expectRejection(serve(), (agent) => agent.get('/api/invoices/list').set(bearer(token)), expected)
  })

  it.each([
    ['malformed', async () => 'abc'],
    ['an ID token', () => issuer.mint({}, { typ: 'JWT' })],
    ['wrongly signed', async () => (await createTestGateway()).issuer.mint()],
    ['unsigned', async () => `${(await issuer.mint()).split('.').slice(0, 2).join('.')}.`],
  ])('a call with a token that is %s gets 401 invalid_token', async (_, mint) => {
    const token = await mint()
    await expectRejection(serve(), (agent) => agent.get('/api/invoices/list').set(bearer(token)), expected)
  })

  it('a cached token that has expired gets 401 invalid_token', async () => {
    const now = 1_800_000_000_000
    vi.useFakeTimers({ toFake: ['Date'], now })
    const server = serve()
    const token = await issuer.mint({ exp: now / 1000 + 864_000 })
    await server.agent.get('/api/invoices/list').set(bearer(token)).expect(200)
    vi.setSystemTime(now + 864_000_000)
    server.reached.length = 0
    const { header } = await expectRejection(
      server,
      (agent) => agent.get('/api/invoices/list').set(bearer(token)),
      expected,
    )
    expect(header).toContain('the access token has expired')
  })

  it('a cached token that has been revoked gets 401 invalid_token', async () => {
    const revoked = new Set<string>()
    const isTokenRevoked = (token: { tokenId: string }) => revoked.has(token.tokenId)
    ;({ gateway, issuer } = await createTestGateway({ revocations: { ...noRevocations, isTokenRevoked } }))
    const server = serve()
    const token = await issuer.mint({ jti: 'stolen' })
    await server.agent.get('/api/invoices/list').set(bearer(token)).expect(200)
    await server.agent.get('/api/invoices/list').set(bearer(token)).expect(200)
    revoked.add('stolen')
    server.reached.length = 0
    await expectRejection(server, (agent) => agent.get('/api/invoices/list').set(bearer(token)), expected)
    expect(issuer.lookups()).toBe(1)
  })
})

describe('a call with a token that lacks the scope', () => {
  it('a token without the scope of the operation gets 403 insufficient_scope with that scope', async () => {
    const token = await issuer.mint({ scope: 'invoices:create invoices:reads' })
    const { header, body } = await expectRejection(
      serve(),
      (agent) => agent.get('/api/invoices/list').set(bearer(token)),
      { status: 403, error: 'insufficient_scope', challenge: /error="insufficient_scope"/ },
    )
    expect(header).toContain('scope="invoices:read"')
    expect(body.error_description).toContain('invoices:read')
  })

  it('a token without any scope gets 403 insufficient_scope', async () => {
    const token = await issuer.mint({ scope: undefined })
    await expectRejection(serve(), (agent) => agent.get('/api/invoices/list').set(bearer(token)), {
      status: 403,
      error: 'insufficient_scope',
      challenge: /scope="invoices:read"/,
    })
  })
})

describe('a call with a token in an invalid place', () => {
  const expected = { status: 400, error: 'invalid_request', challenge: /error="invalid_request"/ }

  it('a token in the query gets 400 invalid_request, with and without a token in the header', async () => {
    const token = await issuer.mint()
    await expectRejection(serve(), (agent) => agent.get(`/api/invoices/list?access_token=${token}`), expected)
    await expectRejection(
      serve(),
      (agent) => agent.get(`/api/invoices/list?access_token=${token}`).set(bearer(token)),
      expected,
    )
  })

  it.each(['Bearer', 'Bearer a b', 'Bearer a,Bearer b', 'Bearer {'])(
    'the Authorization header %j gets 400 invalid_request',
    async (authorization) => {
      await expectRejection(
        serve(),
        (agent) => agent.get('/api/invoices/list').set({ Authorization: authorization }),
        expected,
      )
    },
  )

  it('two Authorization headers get 400 invalid_request', async () => {
    const { app, reached } = createApp((app) => app.use(gateway.middleware()))
    const server = await serveRaw(app)
    const token = await issuer.mint()
    const field = `Authorization: Bearer ${token}\r\n`
    const { status, text } = await server.send(
      `GET /api/invoices/list HTTP/1.1\r\nHost: x\r\n${field}${field}Connection: close\r\n\r\n`,
    )
    await server.close()
    expect(status).toBe(400)
    expect(text).toContain('"error":"invalid_request"')
    expect(reached).toEqual([])
  })
})

describe('a path below the base that no operation claims', () => {
  it.each([
    ['get', '/api'],
    ['get', '/api/'],
    ['get', '/api/unknown'],
    ['get', '/API/invoices'],
    ['post', '/api/invoices/list'],
    ['delete', '/api/invoices/7'],
    ['options', '/api/invoices/list'],
    ['get', '/api/invoices/7/lines'],
    ['get', '/api/invoices//list'],
    ['get', '/api/invoices/%2e'],
    ['get', '/api/invoices/unknown/access?access_token=a'],
  ] as const)(
    'the unclaimed request %s %s gets the same 404 with and without a token',
    async (method, path) => {
      const expected = { status: 404, error: 'not_found' }
      const token = await issuer.mint()
      const without = await expectRejection(serve(), (agent) => agent[method](path), expected)
      const withToken = await expectRejection(
        serve(),
        (agent) => agent[method](path).set(bearer(token)),
        expected,
      )
      expect(withToken.body).toEqual(without.body)
      expect(issuer.lookups()).toBe(0)
    },
  )
})

describe('a gateway that cannot check tokens', () => {
  const expected = { status: 503, error: 'temporarily_unavailable' }

  async function expectUnavailable(changes: Partial<GatewayDependencies>) {
    ;({ gateway, issuer } = await createTestGateway(changes))
    const token = await issuer.mint()
    const server = serve()
    await expectRejection(
      server,
      (agent) => agent.get('/api/invoices/list').set(bearer(token)).expect('Retry-After', '1'),
      expected,
    )
  }

  it('a call gets 503 while the keys are unavailable', () =>
    expectUnavailable({ getKey: () => Promise.reject(new errors.JWKSTimeout()) }))

  it('a call gets 503 if the revocation check throws', () =>
    expectUnavailable({
      revocations: {
        ...noRevocations,
        isTokenRevoked() {
          throw new Error('bug')
        },
      },
    }))

  it('a call gets 503 while the gateway is not ready', () =>
    expectUnavailable({ ready: () => Promise.reject(new Error('Redis is away')) }))

  it('a call gets 503 if the gateway is not ready within startTimeoutMs', async () => {
    const started = performance.now()
    await expectUnavailable({ ready: () => new Promise(() => {}) })
    expect(performance.now() - started).toBeLessThan(2000)
  })

  it('a call gets 503 after close()', async () => {
    const close = vi.fn(() => Promise.resolve())
    ;({ gateway, issuer } = await createTestGateway({ close }))
    await gateway.ready()
    await gateway.close()
    await gateway.close()
    expect(close).toHaveBeenCalledTimes(1)
    await expect(gateway.ready()).rejects.toMatchObject({ code: 'ERR_CLOSED' })
    const token = await issuer.mint()
    await expectRejection(serve(), (agent) => agent.get('/api/invoices/list').set(bearer(token)), expected)
  })
})

describe('the readiness of a gateway', () => {
  it('an early request waits until the gateway is ready', async () => {
    let start = () => {}
    const ready = vi.fn(() => new Promise<void>((resolve) => (start = resolve)))
    ;({ gateway, issuer } = await createTestGateway({ ready }))
    const token = await issuer.mint()
    expect(ready).not.toHaveBeenCalled()
    const { agent } = serve()
    const answers = [1, 2, 3].map(async () => agent.get('/api/invoices/list').set(bearer(token)))
    await vi.waitFor(() => expect(ready).toHaveBeenCalled())
    start()
    for (const answer of await Promise.all(answers)) expect(answer.status).toBe(200)
    expect(ready).toHaveBeenCalledTimes(1)
  })

  it('ready() rejects with the failure of a start, and the next request starts the gateway again', async () => {
    const ready = vi.fn(() => Promise.resolve()).mockRejectedValueOnce(new Error('away'))
    ;({ gateway, issuer } = await createTestGateway({ ready }))
    await expect(gateway.ready()).rejects.toThrow('away')
    const { agent } = serve()
    await agent
      .get('/api/invoices/list')
      .set(bearer(await issuer.mint()))
      .expect(200)
    await gateway.ready()
    expect(ready).toHaveBeenCalledTimes(2)
  })

  it('a request outside of the API does not wait until the gateway is ready', async () => {
    ;({ gateway } = await createTestGateway({ ready: () => new Promise(() => {}) }))
    await serve().agent.get('/').expect(200)
  })
})

describe('the mount of the middleware', () => {
  it('the middleware guards an API inside of one koa-mount, and inside of two nested koa-mounts', async () => {
    const inner = new Koa()
    inner.use(gateway.middleware())
    inner.use((ctx) => void (ctx.body = ctx.path))
    const outer = new Koa()
    outer.use(mount('/nested', new Koa().use(mount('/x', async (_ctx, next) => next()))))
    outer.use(mount('/api', inner))
    const agent = request(outer.callback())
    await agent
      .get('/api/invoices/list')
      .set(bearer(await issuer.mint()))
      .expect(200, '/invoices/list')
    await agent.get('/api/invoices/list').expect(401)
    await agent.get('/api').expect(404)
    await agent
      .get('/api/api/invoices/list')
      .set(bearer(await issuer.mint()))
      .expect(404)
    await agent.get('/api//invoices/list').expect(404)

    const { gateway: deep, issuer: deepIssuer } = await createTestGateway({
      audience: 'https://example.com/v1/api',
    })
    const innermost = new Koa().use(deep.middleware()).use((ctx) => void (ctx.body = ctx.path))
    const twice = request(new Koa().use(mount('/v1', new Koa().use(mount('/api', innermost)))).callback())
    const token = await deepIssuer.mint({ aud: 'https://example.com/v1/api' })
    await twice.get('/v1/api/invoices/list').set(bearer(token)).expect(200, '/invoices/list')
    await twice.get('/v1/api/invoices/list').expect(401)
  })

  it('the middleware guards an API inside of a mount whose path is not in {base_url}', async () => {
    const inner = new Koa().use(gateway.middleware()).use((ctx) => void (ctx.body = ctx.path))
    const agent = request(new Koa().use(mount('/tenant', inner)).callback())
    await agent.get('/tenant/api/invoices/list').expect(401)
    await agent.get('/tenant/API/invoices/list').expect(401)
    await agent.get('/tenant//api/invoices/list').expect(404)
    await agent.get('/tenant/other').expect(200, '/other')
  })

  it('the middleware at the root ignores the ctx.mountPath of an earlier mount', async () => {
    const app = new Koa()
    app.use(mount('/api', async (_ctx, next) => next()))
    app.use(gateway.middleware())
    app.use((ctx) => void (ctx.body = 'reached'))
    const agent = request(app.callback())
    await agent.get('/api/invoices/list').expect(401)
    await agent
      .get('/api/invoices/list')
      .set(bearer(await issuer.mint()))
      .expect(200)
  })

  it('the middleware with mountPath guards an API behind a proxy that strips a prefix', async () => {
    for (const mountPath of ['', '/']) {
      const { agent } = serve((app) => app.use(gateway.middleware({ mountPath })))
      await agent.get('/invoices/list').expect(401)
      await agent
        .get('/invoices/list')
        .set(bearer(await issuer.mint()))
        .expect(200)
      await agent.get('/api/invoices/list').expect(404)
    }
    const { agent } = serve((app) => app.use(gateway.middleware({ mountPath: '/internal' })))
    await agent.get('/internal/invoices/list').expect(401)
    await agent.get('/api/invoices/list').expect(200)
  })

  it('the middleware guards the path to which an earlier middleware rewrote the request', async () => {
    const rewrite = (app: Koa) =>
      app.use(async (ctx, next) => {
        ctx.path = ctx.path.replace('/legacy', '/api')
        await next()
      })
    const { agent, reached } = serve((app) => rewrite(app).use(gateway.middleware()))
    await agent.get('/legacy/invoices/list').expect(401)
    expect(reached).toEqual([])
    await agent
      .get('/legacy/invoices/list')
      .set(bearer(await issuer.mint()))
      .expect(200)
  })

  it('the middleware guards an API whose {base_url} has no path', async () => {
    ;({ gateway, issuer } = await createTestGateway({ audience: 'https://api.example.com' }))
    const { agent } = serve()
    await agent.get('/invoices/list').expect(401)
    await agent.get('/').expect(404)
    await agent
      .get('/invoices/list')
      .set(bearer(await issuer.mint({ aud: 'https://api.example.com' })))
      .expect(200)
    const { body } = await agent.get('/.well-known/oauth-protected-resource').expect(200)
    expect(body).toHaveProperty('resource', 'https://api.example.com')
  })
})

describe('the options of the middleware', () => {
  it('the middleware with the option when guards only the requests for which when() returns true', async () => {
    const { agent } = serve((app) =>
      app.use(gateway.middleware({ when: (ctx) => ctx.get('X-Api') !== 'no' })),
    )
    await agent.get('/api/invoices/list').expect(401)
    await agent.get('/api/invoices/list').set('X-Api', 'no').expect(200)
    await agent
      .get('/.well-known/oauth-protected-resource/api')
      .set('X-Api', 'no')
      .expect(200, { path: '/.well-known/oauth-protected-resource/api' })
  })

  it.each([
    [{ publik: [] }, 'publik'],
    [{ when: true }, 'when'],
    [{ mountPath: 'api' }, 'mountPath'],
    [{ mountPath: '/a?b' }, 'mountPath'],
    [{ public: ['GET health'] }, 'public[0]'],
    [{ optional: ['GET health'] }, 'optional[0]'],
    [{ unclaimed: 'allow' }, 'unclaimed'],
    [{ unclaimed: true }, 'unclaimed'],
  ])('the middleware rejects the options %j', (options, path) => {
    expect(() => gateway.middleware(options as GatewayMiddlewareOptions)).toThrow(
      expect.objectContaining({ code: 'ERR_OPTIONS', problems: [expect.objectContaining({ path })] }),
    )
  })
})

it('the gateway serves the metadata to which its error responses link', async () => {
  const expected = {
    resource: 'https://example.com/api',
    authorization_servers: ['https://auth.example.com'],
    scopes_supported: ['invoices:create', 'invoices:read', 'reports:all', 'reports:read'],
    bearer_methods_supported: ['header'],
  }
  const path = '/.well-known/oauth-protected-resource/api'
  for (const middleware of [gateway.middleware(), gateway.wellKnown()]) {
    const { agent } = serve((app) => app.use(middleware))
    const response = await agent
      .get(path)
      .set('Host', 'evil.example')
      .set('X-Forwarded-Host', 'evil.example')
      .expect(200)
    expect(response.body).toEqual(expected)
    expect(response.headers['content-type']).toMatch(/^application\/json/)
    expect(response.headers['cache-control']).toBe('public, max-age=60')
    await agent.head(path).expect(200)
    await agent.get(`${path}/`).expect(200, expected)
    await agent.get(path).set('If-None-Match', '*').expect(304)
    await agent.post(path).expect(405).expect('Allow', 'GET, HEAD, OPTIONS')
    await agent.get(`${path}/x`).expect(200, { path: `${path}/x` })
  }
})
