import { beforeAll, describe, expect, it } from 'vitest'
import type { Gateway } from '../../src/gateway/gateway.ts'
import { createTestGateway } from './support/api.ts'
import type { TokenIssuer } from './support/token-issuer.ts'

let gateway: Gateway
let issuer: TokenIssuer
beforeAll(async () => {
  ;({ gateway, issuer } = await createTestGateway())
})

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

describe('gateway.authenticate()', () => {
  it('authenticate() derives the required scope from method and URL', async () => {
    const headers = bearer(await issuer.mint())
    for (const url of [
      '/api/invoices/list',
      '/API/invoices/7?x=1',
      'https://any.example/api/invoices/list',
    ]) {
      expect(await gateway.authenticate({ method: 'GET', url, headers })).toMatchObject({
        ok: true,
        scope: 'invoices:read',
        principal: { accountId: 'acme' },
      })
    }
    expect(await gateway.authenticate({ method: 'head', url: '/api/invoices/list', headers })).toHaveProperty(
      'ok',
      true,
    )
    expect(
      await gateway.authenticate({ method: 'POST', url: '/api/invoices/create', headers }),
    ).toMatchObject({
      ok: false,
      status: 403,
      error: 'insufficient_scope',
    })
  })

  it('authenticate() returns a complete error response', async () => {
    expect(await gateway.authenticate({ method: 'GET', url: '/api/invoices/list', headers: {} })).toEqual({
      ok: false,
      status: 401,
      reason: 'missing_token',
      clientId: undefined,
      error: undefined,
      headers: {
        'WWW-Authenticate':
          'Bearer realm="https://example.com/api", scope="invoices:read", resource_metadata="https://example.com/.well-known/oauth-protected-resource/api"',
        'Content-Type': 'application/json; charset=utf-8',
        'Cache-Control': 'no-store',
      },
      body: '{"error_description":"send an access token in the header \\"Authorization: Bearer <ACCESS_TOKEN>\\""}',
    })
  })

  it('authenticate() accepts a Request of the Fetch API', async () => {
    const url = 'https://example.com/api/invoices/list'
    const headers = bearer(await issuer.mint())
    expect(await gateway.authenticate(new Request(url, { headers }))).toHaveProperty('ok', true)
    expect(await gateway.authenticate(new Request(url))).toHaveProperty('status', 401)
  })

  it('authenticate() rejects a token in the query and tokens in two headers', async () => {
    const token = await issuer.mint()
    const authorization = `Bearer ${token}`
    for (const call of [
      { url: `/api/invoices/list?access_token=${token}`, headers: {} },
      { url: '/api/invoices/list', headers: { authorization: [authorization, authorization] } },
      {
        url: '/api/invoices/list',
        headers: { authorization },
        rawHeaders: ['Authorization', authorization, 'AUTHORIZATION', 'x'],
      },
    ]) {
      expect(await gateway.authenticate({ method: 'GET', ...call })).toMatchObject({ ok: false, status: 400 })
    }
  })

  it('authenticate() answers 404 for a URL that names no operation, with and without a token', async () => {
    const urls =
      '/ /other /api /api/unknown /api//invoices/list /x/../api/invoices/list https://h/x/../api/invoices/list //h/api/invoices/list * nonsense'
    const token = bearer(await issuer.mint())
    for (const url of ['', ...urls.split(' ')]) {
      for (const headers of [token, {}]) {
        const { status } = (await gateway.authenticate({ method: 'GET', url, headers })) as {
          status?: number
        }
        expect([url, status]).toEqual([url, 404])
      }
    }
  })

  it('authenticate() with the option scope requires that scope at any URL', async () => {
    const call = { method: 'GET', url: '/live', headers: bearer(await issuer.mint()) }
    expect(await gateway.authenticate(call, { scope: 'invoices:read' })).toMatchObject({
      ok: true,
      scope: 'invoices:read',
    })
    expect(await gateway.authenticate(call, { scope: 'reports:all' })).toMatchObject({
      ok: false,
      status: 403,
    })
    const inQuery = { ...call, url: '/live?access_token=x' }
    expect(await gateway.authenticate(inQuery, { scope: 'invoices:read' })).toHaveProperty('status', 400)
  })

  it('authenticate() with a list of scopes requires all of them, and those of the operation that the URL names', async () => {
    const headers = bearer(await issuer.mint())
    const call = { method: 'GET', url: '/api/invoices/list', headers }
    const rejected = await gateway.authenticate(call, { scope: ['reports:read', 'reports:all'] })
    expect(rejected).toMatchObject({ ok: false, status: 403, error: 'insufficient_scope' })
    expect(rejected).toHaveProperty(
      'headers.WWW-Authenticate',
      expect.stringContaining('scope="reports:read reports:all invoices:read"'),
    )
    expect(rejected).toHaveProperty(
      'body',
      expect.stringContaining('carry the scope reports:read reports:all'),
    )

    // A client that asks for exactly the scopes of the challenge is accepted.
    const scope = 'reports:read reports:all invoices:read'
    const all = { ...call, headers: bearer(await issuer.mint({ scope })) }
    expect(await gateway.authenticate(all, { scope: ['reports:read', 'reports:all'] })).toMatchObject({
      ok: true,
      scope: 'reports:read',
    })
    const withoutRoute = { ...call, headers: bearer(await issuer.mint({ scope: 'reports:read' })) }
    expect(await gateway.authenticate(withoutRoute, { scope: 'reports:read' })).toHaveProperty('status', 403)
  })

  it('authenticate() with scope names the scope of the operation in its 401 and 403', async () => {
    const call = { method: 'GET', url: '/api/invoices/list' }
    for (const [headers, status] of [
      [{}, 401],
      [bearer(await issuer.mint()), 403],
    ] as const) {
      const response = await gateway.authenticate({ ...call, headers }, { scope: 'reports:all' })
      expect(response).toHaveProperty('status', status)
      expect(response).toHaveProperty(
        'headers.WWW-Authenticate',
        expect.stringContaining('scope="reports:all invoices:read"'),
      )
    }
    const twice = { scope: ['invoices:read', 'invoices:read'] as const }
    expect(await gateway.authenticate({ ...call, headers: {} }, twice)).toHaveProperty(
      'headers.WWW-Authenticate',
      expect.stringContaining('scope="invoices:read"'),
    )
  })

  it('authenticate() throws for an empty list of scopes, which would accept every token', async () => {
    const call = { method: 'GET', url: '/live', headers: bearer(await issuer.mint()) }
    await expect(gateway.authenticate(call, { scope: [] })).rejects.toMatchObject({
      code: 'ERR_INVALID_ARGUMENT',
    })
  })

  it('authenticate() throws for a call without a method, unless the option scope names what it needs', async () => {
    const call = { url: '/api/invoices/list', headers: bearer(await issuer.mint()) }
    // @ts-expect-error the method is missing
    await expect(gateway.authenticate(call)).rejects.toMatchObject({
      code: 'ERR_INVALID_ARGUMENT',
      problems: [{ path: 'method', code: 'required' }],
    })
    expect(await gateway.authenticate(call, { scope: 'invoices:read' })).toHaveProperty('ok', true)
  })

  it('authenticate() with mountPath guards an API whose prefix a proxy strips', async () => {
    const call = { method: 'GET', url: '/invoices/list', headers: bearer(await issuer.mint()) }
    expect(await gateway.authenticate(call)).toHaveProperty('status', 404)
    expect(await gateway.authenticate(call, { mountPath: '' })).toHaveProperty('ok', true)
  })

  it('authenticate() answers 503 while the gateway is not ready', async () => {
    const { gateway } = await createTestGateway({ ready: () => Promise.reject(new Error('away')) })
    const call = { method: 'GET', url: '/api/invoices/list', headers: bearer(await issuer.mint()) }
    expect(await gateway.authenticate(call)).toMatchObject({
      ok: false,
      status: 503,
      headers: { 'Retry-After': '1' },
    })
    expect(await gateway.authenticate(call, { scope: 'invoices:read' })).toHaveProperty('status', 503)
  })
})
