import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import {
  asksFor,
  authorizationUrl,
  authorize,
  connect,
  signInAs,
  startHost,
  type Host,
} from '../../support/host.ts'

describe('OpenID Connect', () => {
  let host: Host
  let application: Awaited<ReturnType<Host['createApplication']>>
  beforeAll(async () => {
    host = await startHost({ store: memoryStore() })
    application = await host.createApplication()
  })
  afterEach(() => void vi.useRealTimers())
  afterAll(() => host.close())

  const signIn = (parameters: Record<string, string>, options: Parameters<typeof authorize>[2] = {}) =>
    connect(host, application, { parameters, ...options })
  const verifyIdToken = (token: string | undefined) =>
    jwtVerify(token!, createRemoteJWKSet(new URL(`${host.issuer}/oauth2/jwks`)), {
      issuer: host.issuer,
      audience: application.client_id,
    })

  describe('the ID token', () => {
    it('an ID token is signed with RS256 by a published key and identifies the user without profile claims', async () => {
      const scope = 'openid profile email invoices:read'
      const { id_token, scope: granted } = await signIn({ scope, nonce: 'n-0' })
      expect(granted).toBe(scope)
      const { payload, protectedHeader } = await verifyIdToken(id_token)
      expect(protectedHeader.alg).toBe('RS256')
      expect(payload).toMatchObject({ sub: 'alice', account_id: 'alice', nonce: 'n-0' })
      expect(payload.exp! - payload.iat!).toBe(3600)
      for (const claim of ['name', 'email', 'email_verified', 'picture', 'scope', 'user_id']) {
        expect(payload).not.toHaveProperty(claim)
      }
    })

    it('an ID token is issued only with the scope openid', async () => {
      expect(await signIn({ scope: 'invoices:read' })).not.toHaveProperty('id_token')
    })

    it('an ID token is rejected as an access token', async () => {
      const { id_token } = await signIn({ scope: 'openid invoices:read' })
      const call = await host.call('GET /invoices/list', id_token)
      expect(call.status).toBe(401)
      expect(call.headers.get('www-authenticate')).toContain('error="invalid_token"')
      expect(host.reached).toEqual([])
    })

    it('an ID token has auth_time if the request has max_age', async () => {
      vi.useFakeTimers({ toFake: ['Date'] })
      const now = Math.floor(Date.now() / 1000)
      const browser = host.browser()
      const first = await signIn({ scope: 'openid', max_age: '60' }, { browser })
      expect(decodeJwt(first.id_token!)['auth_time']).toBe(now)

      vi.setSystemTime((now + 50) * 1000)
      const second = await authorize(host, application.client_id, {
        browser,
        parameters: { scope: 'openid', max_age: '60' },
      })
      expect(second.pages).toHaveLength(1)
      const { body } = await host.token({
        ...application,
        grant_type: 'authorization_code',
        code: second.code,
      })
      expect(decodeJwt(String(body['id_token']))['auth_time']).toBe(now)
    })

    it('an exceeded max_age and prompt=login ask the user to sign in again', async () => {
      vi.useFakeTimers({ toFake: ['Date'] })
      const now = Math.floor(Date.now() / 1000)
      const browser = host.browser()
      await signIn({ scope: 'openid' }, { browser })
      vi.setSystemTime((now + 100) * 1000)
      for (const parameters of [{ max_age: '60' }, { prompt: 'login', max_age: '1000' }]) {
        const page = await browser.open(
          authorizationUrl(host, application.client_id, { scope: 'openid', ...parameters }),
        )
        expect(asksFor(page)).toBe('sign-in')
      }
      const { id_token } = await signIn({ scope: 'openid', max_age: '60' }, { browser })
      expect(decodeJwt(id_token!)['auth_time']).toBe(now + 100)
    })
  })

  describe('user info', () => {
    const ask = (token: string, method = 'GET') =>
      fetch(`${host.issuer}/oauth2/userinfo`, { method, headers: { authorization: `Bearer ${token}` } })

    it('user info answers GET and POST with the claims of the scopes', async () => {
      const { access_token } = await signIn({ scope: 'openid email' })
      for (const method of ['GET', 'POST']) {
        const response = await ask(access_token, method)
        expect(response.status).toBe(200)
        expect(response.headers.get('content-type')).toMatch(/^application\/json/)
        expect(response.headers.get('cache-control')).toContain('no-store')
        const claims = { sub: 'alice', account_id: 'alice', email: 'alice@example.com' }
        expect(await response.json()).toEqual(claims)
      }
    })

    it('user info accepts the token in a form (RFC 6750 2.2)', async () => {
      const { access_token } = await signIn({ scope: 'openid' })
      const { status, body } = await host.post('/oauth2/userinfo', { access_token })
      expect([status, body]).toEqual([200, { sub: 'alice', account_id: 'alice' }])
    })

    it("user info answers with the host's current data, and rejects the token of a deleted account", async () => {
      const { access_token } = await signIn({ scope: 'openid profile' }, { user: 'bob' })
      const bob = host.accounts.get('bob')!
      host.accounts.set('bob', { ...bob, claims: { name: 'Robert' } })
      expect(await (await ask(access_token)).json()).toEqual({
        sub: 'bob',
        account_id: 'bob',
        name: 'Robert',
      })
      host.accounts.delete('bob')
      const afterDeletion = await ask(access_token)
      expect(afterDeletion.status).toBe(401)
      expect(await afterDeletion.json()).toMatchObject({ error: 'invalid_token' })
      host.accounts.set('bob', bob)
    })

    it('user info answers 403 to a token without the scope openid', async () => {
      const { access_token } = await signIn({ scope: 'invoices:read' })
      const response = await ask(access_token)
      expect(response.status).toBe(403)
      expect(response.headers.get('www-authenticate')).toMatch(/error="insufficient_scope".*scope="openid"/)
    })

    it('user info answers 403 to a direct token', async () => {
      const { body } = await host.requestDirectToken(await host.createApiKey())
      for (const method of ['GET', 'POST']) {
        const response = await ask(String(body['access_token']), method)
        expect(response.status).toBe(403)
        expect(response.headers.get('www-authenticate')).toContain('error="insufficient_scope"')
      }
    })

    it('user info rejects an expired token', async () => {
      vi.useFakeTimers({ toFake: ['Date'] })
      const { access_token } = await signIn({ scope: 'openid' })
      vi.setSystemTime(Date.now() + 3_600_000)
      const response = await ask(access_token)
      expect(response.status).toBe(401)
      expect(response.headers.get('www-authenticate')).toContain('error="invalid_token"')
    })

    it('user info works for an account whose id is a client id, and the tokens of this account stay delegated', async () => {
      const id = application.client_id
      host.accounts.set(id, { id, claims: { name: 'Twin' } })
      const tokens = await signIn({ scope: 'openid profile invoices:read' }, { user: id })
      expect(await (await ask(tokens.access_token)).json()).toEqual({ sub: id, account_id: id, name: 'Twin' })
      const call = await host.call('GET /invoices/list', tokens.access_token)
      expect(call.body['auth']).toMatchObject({ mode: 'delegated', accountId: id, clientId: id })
      host.reached.splice(0)
    })
  })

  it('a deleted account is signed out and gets no code, even with remembered consent', async () => {
    host.accounts.set('carol', { id: 'carol' })
    const browser = host.browser()
    await signIn({ scope: 'openid' }, { browser, user: 'carol' })
    host.accounts.delete('carol')
    const ask = (parameters: Record<string, string>) =>
      browser.open(authorizationUrl(host, application.client_id, { scope: 'openid', ...parameters }))
    const silent = await ask({ prompt: 'none' })
    expect(silent.url.searchParams.get('error')).toBe('login_required')
    expect(silent.url.searchParams.get('code')).toBeNull()
    const page = await ask({})
    expect(asksFor(page)).toBe('sign-in')
    expect((await signInAs(browser, page, 'carol')).status).toBe(401)
  })
})
