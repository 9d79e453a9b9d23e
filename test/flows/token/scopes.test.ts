import { decodeJwt } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { authorizationUrl, authorize, CALLBACK, connect, startHost, type Host } from '../../support/host.ts'
import { describeEachStore, watchWrites } from '../../support/stores.ts'

const ALL = 'invoices:read invoices:create payments:list payments:transfer'

describeEachStore('scopes', (makeStore) => {
  let host: Host
  let writes: string[]
  beforeAll(async () => {
    const watched = watchWrites(makeStore())
    writes = watched.writes
    host = await startHost({ store: watched.store })
  })
  afterEach(() => setLevel('verified'))
  afterAll(() => host.close())

  const setLevel = (kycLevel: string) =>
    void host.accounts.set('acme', { id: 'acme', kycLevel, claims: { name: 'Acme Ltd' } })
  async function rejectionOf(clientId: string, parameters: Record<string, string>) {
    const { url } = await host.browser().open(authorizationUrl(host, clientId, parameters))
    expect(`${url.origin}${url.pathname}`).toBe(CALLBACK)
    const answer = Object.fromEntries(url.searchParams)
    expect(answer).toMatchObject({ state: 'xyz', iss: host.issuer })
    expect(answer).not.toHaveProperty('code')
    return answer
  }

  describe('scopes of direct tokens', () => {
    it('without a scope parameter, a direct token carries all scopes of all products', async () => {
      const key = await host.createApiKey()
      expect((await host.requestDirectToken(key)).body['scope']).toBe(ALL)
      expect((await host.requestDirectToken(key, { scope: '' })).body['scope']).toBe(ALL)
    })

    it('with a scope parameter, a direct token carries exactly the requested scopes, each once', async () => {
      const key = await host.createApiKey()
      const { body } = await host.requestDirectToken(key, {
        scope: 'payments:list invoices:read payments:list',
      })
      expect(body['scope']).toBe('payments:list invoices:read')
      expect(decodeJwt(String(body['access_token']))['scope']).toBe('payments:list invoices:read')
    })

    it.each(['payments:list', 'unknown', 'openid', 'invoices:read payments:list', 'INVOICES:READ'])(
      'a direct token request for "%s" is answered with invalid_scope, because the API key lacks a scope',
      async (scope) => {
        const key = await host.createApiKey(['invoices'])
        const before = writes.length
        const { status, body, headers } = await host.requestDirectToken(key, { scope })
        expect(status).toBe(400)
        expect(body['error']).toBe('invalid_scope')
        expect(body['error_description']).toContain(scope.split(' ').at(-1))
        expect(body['access_token']).toBeUndefined()
        expect(headers.get('cache-control')).toBe('no-store')
        expect(writes.slice(before)).toEqual([])
      },
    )

    it('an operation that was removed from an API key is not in its tokens, and cannot be requested', async () => {
      const key = await host.createApiKey()
      await host.gatehouse.apiKeys.removeOperation(key.client_id, 'payments:transfer')
      expect((await host.requestDirectToken(key)).body['scope']).toBe(
        'invoices:read invoices:create payments:list',
      )
      const { status, body } = await host.requestDirectToken(key, { scope: 'payments:transfer' })
      expect([status, body['error']]).toEqual([400, 'invalid_scope'])
    })

    it('the KYC level of the owner does not limit an API key', async () => {
      setLevel('none')
      expect((await host.requestDirectToken(await host.createApiKey())).body['scope']).toBe(ALL)
    })

    it('an API key without any operation gets unauthorized_client, like an API key without a product', async () => {
      const key = await host.createApiKey(['invoices'])
      await host.gatehouse.apiKeys.removeOperation(key.client_id, 'invoices:read')
      await host.gatehouse.apiKeys.removeOperation(key.client_id, 'invoices:create')
      const { status, body } = await host.requestDirectToken(key)
      expect([status, body['error']]).toEqual([400, 'unauthorized_client'])
    })

    it('an API key of a deleted account gets unauthorized_client', async () => {
      const key = await host.createApiKey()
      host.accounts.delete('acme')
      const { status, body } = await host.requestDirectToken(key)
      expect([status, body['error']]).toEqual([400, 'unauthorized_client'])
      expect(body['error_description']).toContain('account')
    })
  })

  describe('scopes of an authorization request', () => {
    it('without a scope parameter, an authorization request asks for all scopes of the application, but not openid', async () => {
      const application = await host.createApplication()
      await host.gatehouse.applications.removeOperation(application.client_id, 'invoices:create')
      setLevel('basic')
      const tokens = await connect(host, application)
      expect(tokens.scope).toBe('invoices:read payments:list')
      expect(tokens.id_token).toBeUndefined()
    })

    it('the scope offline_access is ignored, because a refresh token is issued in any case', async () => {
      const application = await host.createApplication()
      const scope = 'offline_access invoices:read'
      const tokens = await connect(host, application, { parameters: { scope } })
      expect(tokens.scope).toBe('invoices:read')
      const alone = await connect(host, application, { parameters: { scope: 'offline_access' } })
      expect(alone.scope).toBe(ALL)
      expect(alone.refresh_token).toEqual(expect.any(String))
    })

    it.each([
      ['payments:list', ['invoices'], 'verified', /payments:list .* add the product payments/],
      ['payments:transfer', ['payments'], 'basic', /payments:transfer needs the KYC level verified/],
      ['unknown:scope', ['invoices'], 'verified', /unknown:scope does not exist/],
      ['invoices:read payments:list', ['invoices'], 'verified', /payments:list .* add the product payments/],
    ] as const)(
      'an authorization request for "%s" is answered with invalid_scope if the application has the products %s and the KYC level %s',
      async (scope, ids, level, reason) => {
        setLevel(level)
        const { client_id } = await host.createApplication({ products: ids })
        const answer = await rejectionOf(client_id, { scope })
        expect(answer['error']).toBe('invalid_scope')
        expect(answer['error_description']).toMatch(reason)
      },
    )

    it('an operation that was removed from an application cannot be requested', async () => {
      const { client_id } = await host.createApplication()
      await host.gatehouse.applications.removeOperation(client_id, 'invoices:create')
      const answer = await rejectionOf(client_id, { scope: 'invoices:create' })
      expect(answer['error']).toBe('invalid_scope')
      expect(answer['error_description']).toContain('invoices:create was removed')
    })

    it('an application without a product gets unauthorized_client, and the error says what to do', async () => {
      const { client_id } = await host.createApplication({ products: [] })
      const answer = await rejectionOf(client_id, {})
      expect(answer['error']).toBe('unauthorized_client')
      expect(answer['error_description']).toContain('add one')
    })

    it('an application whose operations all need a higher level gets unauthorized_client', async () => {
      const application = await host.createApplication({
        products: ['payments'],
        removedOperations: ['payments:list'],
      })
      setLevel('basic')
      expect(await rejectionOf(application.client_id, {})).toMatchObject({ error: 'unauthorized_client' })
    })
  })

  describe('scopes at the code exchange', () => {
    it('when a product is removed before the code exchange, the token carries the remaining scopes', async () => {
      const application = await host.createApplication()
      const { code } = await authorize(host, application.client_id)
      await host.gatehouse.applications.removeProduct(application.client_id, 'payments')
      const { status, body } = await host.exchangeCode(application, code)
      expect(status).toBe(200)
      expect(body['scope']).toBe('invoices:read invoices:create')
      expect((await host.call('GET /payments/list', String(body['access_token']))).status).toBe(403)
    })

    it('when the KYC level falls before the code exchange, the token carries the remaining scopes', async () => {
      const application = await host.createApplication()
      const { code } = await authorize(host, application.client_id)
      setLevel('none')
      expect((await host.exchangeCode(application, code)).body['scope']).not.toContain('payments:transfer')
    })

    it('when no scope remains, the code exchange is answered with invalid_scope, and the code stays usable', async () => {
      const application = await host.createApplication()
      const { applications } = host.gatehouse
      const { code } = await authorize(host, application.client_id, {
        parameters: { scope: 'payments:list' },
      })
      await applications.removeProduct(application.client_id, 'payments')
      const rejected = await host.exchangeCode(application, code)
      expect([rejected.status, rejected.body['error']]).toEqual([400, 'invalid_scope'])
      expect(rejected.body).not.toHaveProperty('access_token')
      await applications.addProduct(application.client_id, 'payments')
      expect((await host.exchangeCode(application, code)).body['scope']).toBe('payments:list')
    })
  })

  describe('scopes at a refresh', () => {
    it('removing a product narrows the scope of the next refresh, and adding the product again restores the scope', async () => {
      const application = await host.createApplication()
      const { applications } = host.gatehouse
      const tokens = await connect(host, application)
      await applications.removeProduct(application.client_id, 'payments')
      const fewer = await host.refresh(application, tokens.refresh_token)
      expect(fewer.body['scope']).toBe('invoices:read invoices:create')
      await applications.addProduct(application.client_id, 'payments')
      const again = await host.refresh(application, fewer.body['refresh_token'])
      expect(again.body['scope']).toBe(ALL)
    })

    it('a lower KYC level narrows the scope of the next refresh, and a higher KYC level restores the scope', async () => {
      const application = await host.createApplication()
      const tokens = await connect(host, application)
      setLevel('basic')
      const fewer = await host.refresh(application, tokens.refresh_token)
      expect(fewer.body['scope']).toBe('invoices:read invoices:create payments:list')
      setLevel('verified')
      const again = await host.refresh(application, fewer.body['refresh_token'])
      expect(again.body['scope']).toBe(ALL)
    })

    it('a higher KYC level or another product adds no scope that the user has not authorized', async () => {
      setLevel('basic')
      const application = await host.createApplication({ products: ['payments'] })
      const tokens = await connect(host, application)
      expect(tokens.scope).toBe('payments:list')
      setLevel('verified')
      await host.gatehouse.applications.addProduct(application.client_id, 'invoices')
      const { body } = await host.refresh(application, tokens.refresh_token)
      expect(body['scope']).toBe('payments:list')
    })

    it('when no scope remains, a refresh is answered with invalid_scope, and the refresh token works again after the product is added again', async () => {
      const application = await host.createApplication()
      const { applications } = host.gatehouse
      const scope = 'payments:list'
      const { refresh_token } = await connect(host, application, { parameters: { scope } })
      await applications.removeProduct(application.client_id, 'payments')
      // Waits until the audit trail has the entry of the change.
      await host.gatehouse.audit.list()
      const before = writes.length
      for (let attempt = 0; attempt < 2; attempt += 1) {
        const rejected = await host.refresh(application, refresh_token)
        expect([rejected.status, rejected.body['error']]).toEqual([400, 'invalid_scope'])
      }
      expect(writes.slice(before)).toEqual([])
      await applications.addProduct(application.client_id, 'payments')
      const { status, body } = await host.refresh(application, refresh_token)
      expect([status, body['scope']]).toEqual([200, scope])
    })

    it('a refresh of an application without products is answered with unauthorized_client, and the refresh token works again after a product is added', async () => {
      const application = await host.createApplication({ products: ['invoices'] })
      const { refresh_token } = await connect(host, application)
      await host.gatehouse.applications.removeProduct(application.client_id, 'invoices')
      const rejected = await host.refresh(application, refresh_token)
      expect([rejected.status, rejected.body['error']]).toEqual([400, 'unauthorized_client'])
      expect(rejected.body['error_description']).toContain('no API product')
      await host.gatehouse.applications.addProduct(application.client_id, 'invoices')
      expect((await host.refresh(application, refresh_token)).status).toBe(200)
    })

    it("a refresh after the deletion of the developer's account is answered with unauthorized_client, and works when the account exists again", async () => {
      const application = await host.createApplication()
      const { refresh_token } = await connect(host, application)
      host.accounts.delete('acme')
      const rejected = await host.refresh(application, refresh_token)
      expect([rejected.status, rejected.body['error']]).toEqual([400, 'unauthorized_client'])
      expect(await rejectionOf(application.client_id, {})).toMatchObject({ error: 'unauthorized_client' })
      setLevel('verified')
      expect((await host.refresh(application, refresh_token)).status).toBe(200)
    })

    it("a refresh after the deletion of the user's account is answered with invalid_grant", async () => {
      host.accounts.set('carol', { id: 'carol' })
      const application = await host.createApplication()
      const tokens = await connect(host, application, { user: 'carol' })
      host.accounts.delete('carol')
      const { status, body } = await host.refresh(application, tokens.refresh_token)
      expect([status, body['error']]).toEqual([400, 'invalid_grant'])
      expect(body).not.toHaveProperty('access_token')
    })

    it('a scope parameter at a refresh narrows the token of that refresh, but not of the next refresh', async () => {
      const application = await host.createApplication()
      const tokens = await connect(host, application)
      const narrow = await host.refresh(application, tokens.refresh_token, { scope: 'payments:list' })
      expect(narrow.body['scope']).toBe('payments:list')
      expect((await host.call('GET /invoices/list', String(narrow.body['access_token']))).status).toBe(403)
      const again = await host.refresh(application, narrow.body['refresh_token'])
      expect(again.body['scope']).toBe(ALL)
    })

    it('a refresh with a scope that the user has not authorized is answered with invalid_scope, and the refresh token stays usable', async () => {
      const application = await host.createApplication()
      const tokens = await connect(host, application, { untick: ['invoices:create'] })
      for (const scope of ['invoices:create', 'invoices:read invoices:create', 'openid', 'unknown']) {
        const { status, body } = await host.refresh(application, tokens.refresh_token, { scope })
        expect([status, body['error']], scope).toEqual([400, 'invalid_scope'])
      }
      expect((await host.refresh(application, tokens.refresh_token)).body['scope']).toBe(tokens.scope)
    })
  })

  describe('unknown resources', () => {
    const resource = 'https://evil.example/'

    it('an authorization request with an unknown resource is answered with invalid_target', async () => {
      const { client_id } = await host.createApplication()
      expect(await rejectionOf(client_id, { resource })).toMatchObject({ error: 'invalid_target' })
    })

    it('a direct token request with an unknown resource is answered with invalid_target', async () => {
      const key = await host.createApiKey()
      const { status, body } = await host.requestDirectToken(key, { resource })
      expect([status, body['error']]).toEqual([400, 'invalid_target'])
      expect(body).not.toHaveProperty('access_token')
      expect((await host.requestDirectToken(key, { resource: host.audience })).status).toBe(200)
    })

    it('a code exchange with an unknown resource is answered with invalid_target, and the code stays usable', async () => {
      const application = await host.createApplication()
      const { code } = await authorize(host, application.client_id)
      const { status, body } = await host.exchangeCode(application, code, { resource })
      expect([status, body['error']]).toEqual([400, 'invalid_target'])
      expect((await host.exchangeCode(application, code, { resource: host.audience })).status).toBe(200)
    })

    it('a refresh with an unknown resource is answered with invalid_target, and the refresh token stays usable', async () => {
      const application = await host.createApplication()
      const { refresh_token } = await connect(host, application)
      const { status, body } = await host.refresh(application, refresh_token, { resource })
      expect([status, body['error']]).toEqual([400, 'invalid_target'])
      expect((await host.refresh(application, refresh_token, { resource: host.audience })).status).toBe(200)
    })
  })
})
