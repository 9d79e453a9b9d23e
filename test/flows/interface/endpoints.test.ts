import { decodeJwt } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { authorizationUrl, authorize, CALLBACK, connect, startHost, type Host } from '../../support/host.ts'
import { describeEachStore, watchWrites } from '../../support/stores.ts'

describeEachStore('Endpoints', (makeStore) => {
  let host: Host
  let writes: string[]
  beforeAll(async () => {
    const watched = watchWrites(makeStore())
    writes = watched.writes
    host = await startHost({ store: watched.store })
  })
  beforeEach(() => void host.reached.splice(0))
  afterAll(() => host.close())

  describe('Address table', () => {
    it('Authorization endpoint (delegated access): {auth_url}/oauth2/authorize', async () => {
      const { client_id } = await host.createApplication()
      const url = authorizationUrl(host, client_id)
      expect(url.href).toMatch(`${host.issuer}/oauth2/authorize?`)
      const { callback, code } = await authorize(host, client_id)
      expect(code).toMatch(/^[\w-]{43,}$/)
      expect(`${callback.origin}${callback.pathname}`).toBe(CALLBACK)
      expect(callback.searchParams.get('state')).toBe('xyz')
      expect(callback.searchParams.get('iss')).toBe(host.issuer)

      const posted = await host.post('/oauth2/authorize', [...url.searchParams])
      expect(posted.status).toBe(303)
      const target = new URL(posted.headers.get('location')!)
      for (const one of [target, url]) one.searchParams.sort()
      expect(target.href).toBe(url.href)
    })

    it('Token endpoint: {auth_url}/oauth2/token, POST', async () => {
      const key = await host.createApiKey()
      const response = await host.post('/oauth2/token', { ...key, grant_type: 'client_credentials' })
      expect(response.status).toBe(200)
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const rejected = await fetch(`${host.issuer}/oauth2/token`, { method })
        expect(rejected.status).toBe(405)
        expect(rejected.headers.get('allow')).toContain('POST')
      }
    })

    it('User info endpoint: {auth_url}/oauth2/userinfo', async () => {
      const application = await host.createApplication()
      const parameters = { scope: 'openid profile email invoices:read' }
      const { access_token } = await connect(host, application, { parameters })
      const response = await host.userInfo(access_token)
      expect(response.status).toBe(200)
      expect(response.body).toEqual({
        sub: 'alice',
        account_id: 'alice',
        name: 'Alice',
        email: 'alice@example.com',
      })

      const rejected = await fetch(`${host.issuer}/oauth2/userinfo`)
      expect(rejected.status).toBe(401)
      expect(rejected.headers.get('www-authenticate')).toMatch(/^Bearer /)
    })

    it('OpenID configuration endpoint: {auth_url}/.well-known/openid-configuration', async () => {
      const response = await fetch(`${host.issuer}/.well-known/openid-configuration`)
      expect(response.status).toBe(200)
      expect(response.headers.get('content-type')).toMatch(/^application\/json/)
      expect(await response.json()).toMatchObject({
        issuer: host.issuer,
        authorization_endpoint: `${host.issuer}/oauth2/authorize`,
        token_endpoint: `${host.issuer}/oauth2/token`,
        userinfo_endpoint: `${host.issuer}/oauth2/userinfo`,
        jwks_uri: `${host.issuer}/oauth2/jwks`,
        end_session_endpoint: `${host.issuer}/oauth2/logout`,
        grant_types_supported: expect.arrayContaining([
          'authorization_code',
          'client_credentials',
          'refresh_token',
        ]),
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: expect.arrayContaining([
          'client_secret_basic',
          'client_secret_post',
        ]),
        authorization_response_iss_parameter_supported: true,
      })
    })

    it('API gateway endpoint: {base_url}/', async () => {
      const response = await fetch(`${host.audience}/`)
      expect(response.status).toBe(404)
      expect(await response.json()).toMatchObject({ error: 'not_found' })
      expect((await host.call('GET /invoices/list')).status).toBe(401)
      expect(host.reached).toEqual([])
    })

    it('Direct access does not use a user redirect.', async () => {
      const { client_id } = await host.createApiKey()
      const page = await host.browser().open(authorizationUrl(host, client_id))
      expect(page.status).toBe(400)
      expect(page.url.origin).toBe(host.origin)
      expect(page.headers.get('content-type')).toMatch(/^text\/html/)
    })
  })

  describe('POST {auth_url}/oauth2/token', () => {
    it('Request header: content-type = application/x-www-form-urlencoded.', async () => {
      const parameters = { ...(await host.createApiKey()), grant_type: 'client_credentials' }
      const before = writes.length
      const response = await fetch(`${host.issuer}/oauth2/token`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(parameters),
      })
      expect(response.status).toBe(415)
      expect(await response.json()).toMatchObject({ error: 'invalid_request' })
      expect(writes.slice(before)).toEqual([])
      expect((await host.token(parameters)).status).toBe(200)
    })

    it('The body is form-encoded.', async () => {
      const { client_id, client_secret } = await host.createApiKey()
      const parameters = new URLSearchParams({ client_id, client_secret, grant_type: 'client_credentials' })
      const inQuery = await host.post(`/oauth2/token?${parameters.toString()}`, {})
      expect(inQuery.status).toBe(401)
      expect(inQuery.body['error']).toBe('invalid_client')
      expect(inQuery.text).not.toContain(client_secret)
      const twice = await host.post('/oauth2/token', [...parameters, ['grant_type', 'client_credentials']])
      expect(twice.status).toBe(400)
      expect(twice.body['error']).toBe('invalid_request')
    })

    it('Parameters depend on grant_type.', async () => {
      const key = await host.createApiKey()
      const missing = await host.token(key)
      expect([missing.status, missing.body['error']]).toEqual([400, 'invalid_request'])
      const unknown = await host.token({ ...key, grant_type: 'password' })
      expect([unknown.status, unknown.body['error']]).toEqual([400, 'unsupported_grant_type'])
      const others = await host.token({ ...key, grant_type: 'refresh_token', refresh_token: 'x' })
      expect([others.status, others.body['error']]).toEqual([400, 'unauthorized_client'])
      const application = { ...(await host.createApplication()), grant_type: 'client_credentials' }
      const direct = await host.token(application)
      expect([direct.status, direct.body['error']]).toEqual([400, 'unauthorized_client'])
    })

    it('client_credentials: client_id, client_secret → Token response with access_token, expires_in, scope.', async () => {
      const parameters = { ...(await host.createApiKey()), grant_type: 'client_credentials' }
      const { status, body } = await host.token(parameters)
      expect(status).toBe(200)
      expect(body).toEqual({
        access_token: expect.any(String),
        expires_in: 864_000,
        scope: 'invoices:read invoices:create payments:list payments:transfer',
        token_type: 'Bearer',
      })
      await expectEachRequired(parameters)
    })

    it('authorization_code: client_id, client_secret, code → Token response with access_token and refresh_token. code is the authorization code obtained through the authorization endpoint.', async () => {
      const application = await host.createApplication()
      const { code } = await authorize(host, application.client_id)
      await expectEachRequired({ ...application, grant_type: 'authorization_code', code })
      for (const other of ['unknown', `${code}x`, code.slice(1)]) {
        const { status, body } = await host.exchangeCode(application, other)
        expect([status, body['error']]).toEqual([400, 'invalid_grant'])
      }
      const { status, body } = await host.exchangeCode(application, code)
      expect(status).toBe(200)
      expect(body).toMatchObject({ access_token: expect.any(String), refresh_token: expect.any(String) })
      expect(decodeJwt(String(body['access_token']))['account_id']).toBe('alice')
      const replayed = await host.exchangeCode(application, code)
      expect([replayed.status, replayed.body['error']]).toEqual([400, 'invalid_grant'])
    })

    it('refresh_token: refresh_token, client_id, client_secret → Same response form as the code exchange. The used refresh_token is decommissioned.', async () => {
      const application = await host.createApplication()
      const first = await connect(host, application)
      const { refresh_token } = first
      const parameters = { ...application, grant_type: 'refresh_token', refresh_token }
      await expectEachRequired(parameters)
      const { status, body } = await host.token(parameters)
      expect(status).toBe(200)
      expect(Object.keys(body).toSorted()).toEqual(Object.keys(first).toSorted())
      // The second use of a refresh token may be a theft, so gatehouse also revokes its successors.
      for (const token of [refresh_token, body['refresh_token']]) {
        const again = await host.refresh(application, token)
        expect([again.status, again.body['error']]).toEqual([400, 'invalid_grant'])
      }
    })

    /** Omits each parameter in turn, and expects that the request is rejected and stores nothing. */
    async function expectEachRequired(parameters: Record<string, string>) {
      for (const name of Object.keys(parameters)) {
        const before = writes.length
        const { [name]: _left, ...rest } = parameters
        const { status, body, headers } = await host.token(rest)
        expect(status, name).toBe(name === 'client_secret' ? 401 : 400)
        expect(body['error'], name).toBe(name === 'client_secret' ? 'invalid_client' : 'invalid_request')
        expect(headers.get('cache-control')).toBe('no-store')
        expect(writes.slice(before), name).toEqual([])
      }
    }
  })

  describe('Authenticated API calls', () => {
    let token: string
    beforeAll(async () => {
      const { body } = await host.requestDirectToken(await host.createApiKey())
      token = String(body['access_token'])
    })

    it('Method and path: any API operation under {base_url}/<service>/<endpoint>.', async () => {
      for (const target of ['GET /invoices/list', 'GET /invoices/7', 'GET /payments/list']) {
        expect((await host.call(target, token)).status, target).toBe(200)
      }
      for (const target of ['GET /invoices/list/7', 'GET /unknown/list', 'GET /invoices']) {
        expect((await host.call(target, token)).status, target).toBe(404)
      }
      expect(host.reached).toHaveLength(3)
    })

    it('The method and the payload depend on the operation.', async () => {
      const response = await fetch(`${host.audience}/invoices/create`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ amount: 100 }),
      })
      expect(response.status).toBe(200)
      expect(host.reached).toEqual(['POST /api/invoices/create'])
      for (const target of ['PUT /invoices/create', 'DELETE /invoices/7', 'POST /payments/list']) {
        expect((await host.call(target, token)).status, target).toBe(404)
      }
      expect(host.reached).toHaveLength(1)
    })

    it('Required header: Authorization with the value "Bearer <ACCESS_TOKEN>".', async () => {
      const without = await host.call('GET /invoices/list')
      expect(without.status).toBe(401)
      expect(without.headers.get('www-authenticate')).not.toContain('error=')
      const inQuery = await host.call(`GET /invoices/list?access_token=${token}`)
      expect([inQuery.status, inQuery.body['error']]).toEqual([400, 'invalid_request'])
      const bare = await fetch(`${host.audience}/invoices/list`, { headers: { authorization: token } })
      expect(bare.status).toBe(401)
      expect(host.reached).toEqual([])
      expect((await host.call('GET /invoices/list', token)).status).toBe(200)
    })

    it('The call is authenticated when the token carries the scope that matches the operation.', async () => {
      const { body } = await host.requestDirectToken(await host.createApiKey(), { scope: 'payments:list' })
      const narrow = String(body['access_token'])
      expect((await host.call('GET /payments/list', narrow)).status).toBe(200)
      expect((await host.call('GET /invoices/list', narrow)).status).toBe(403)
      expect(host.reached).toEqual(['GET /api/payments/list'])
    })

    it("Then the operation's own response is returned.", async () => {
      const { status, body, headers } = await host.call('GET /invoices/7', token)
      expect(status).toBe(200)
      expect(body).toEqual({ reached: '/api/invoices/7', auth: expect.objectContaining({ mode: 'direct' }) })
      expect(headers.get('www-authenticate')).toBeNull()
    })
  })
})
