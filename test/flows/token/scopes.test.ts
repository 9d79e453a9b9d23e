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
    it('a direct token carries exactly the requested scopes, each once, and all scopes without a scope parameter', async () => {
      const key = await host.createApiKey()
      for (const none of [{}, { scope: '' }])
        expect((await host.requestDirectToken(key, none)).body['scope']).toBe(ALL)
      const { body } = await host.requestDirectToken(key, {
        scope: 'payments:list invoices:read payments:list',
      })
      expect(body['scope']).toBe('payments:list invoices:read')
      expect(decodeJwt(String(body['access_token']))['scope']).toBe('payments:list invoices:read')
    })

    it('blanks before, after and between scopes have no meaning, in every request', async () => {
      const key = await host.createApiKey()
      const scope = '  invoices:read   payments:list '
      const scopes = 'invoices:read payments:list'
      // oidc-provider answers the request with a further parameter.
      for (const way of [{}, { unknown: 'x' }]) {
        expect((await host.requestDirectToken(key, { scope, ...way })).body['scope']).toBe(scopes)
        expect((await host.requestDirectToken(key, { scope: ' ', ...way })).body['scope']).toBe(ALL)
        const tab = await host.requestDirectToken(key, { scope: 'invoices:read\tpayments:list', ...way })
        expect([tab.status, tab.body['error']]).toEqual([400, 'invalid_scope'])
      }
      const application = await host.createApplication()
      const parameters = { scope: ` openid ${scope}` }
      const tokens = await connect(host, application, { parameters })
      expect(tokens.scope).toBe(`openid ${scopes}`)
      const refreshed = await host.refresh(application, tokens.refresh_token, { scope: parameters.scope })
      expect(refreshed.body['scope']).toBe(`openid ${scopes}`)
      const header = { authorization: `Bearer ${String(refreshed.body['access_token'])}` }
      const userInfo = await host.post('/oauth2/userinfo?scope=+openid++', { scope: ' openid ' }, header)
      expect(userInfo.status).toBe(200)
    })

    it('a direct token request for a scope that the API key lacks is answered with invalid_scope', async () => {
      const key = await host.createApiKey(['invoices'])
      await host.gatehouse.apiKeys.removeOperation(key.client_id, 'invoices:create')
      await host.gatehouse.audit.list({ limit: 1 })
      const lacking = ['payments:list', 'invoices:create', 'unknown', 'openid', 'INVOICES:READ']
      for (const scope of [...lacking, 'invoices:read payments:list']) {
        const before = writes.length
        const { status, body, headers } = await host.requestDirectToken(key, { scope })
        expect([scope, status, body['error']]).toEqual([scope, 400, 'invalid_scope'])
        expect(body['error_description']).toContain(scope.split(' ').at(-1))
        expect(body['access_token']).toBeUndefined()
        expect(headers.get('cache-control')).toBe('no-store')
        expect(writes.slice(before)).toEqual([])
      }
      expect((await host.requestDirectToken(key)).body['scope']).toBe('invoices:read')
    })

    it('the KYC level of the owner does not limit an API key', async () => {
      setLevel('none')
      expect((await host.requestDirectToken(await host.createApiKey())).body['scope']).toBe(ALL)
    })

    it('an API key without any operation gets unauthorized_client, like an API key of a deleted account', async () => {
      const key = await host.createApiKey(['invoices'])
      host.accounts.delete('acme')
      const deleted = await host.requestDirectToken(key)
      expect([deleted.status, deleted.body['error']]).toEqual([400, 'unauthorized_client'])
      expect(deleted.body['error_description']).toContain('account')
      setLevel('verified')
      for (const operation of ['invoices:read', 'invoices:create'])
        await host.gatehouse.apiKeys.removeOperation(key.client_id, operation)
      const { status, body } = await host.requestDirectToken(key)
      expect([status, body['error']]).toEqual([400, 'unauthorized_client'])
    })
  })

  describe('scopes of an authorization request', () => {
    it('without a scope parameter, an authorization request asks for all scopes of the application, but not openid', async () => {
      const application = await host.createApplication({ removedOperations: ['invoices:create'] })
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

    it('an authorization request for a scope that the application may not request is answered with invalid_scope and the reason', async () => {
      const without = { removedOperations: ['invoices:create'] }
      const cases: [string, object, string, RegExp][] = [
        [
          'payments:list',
          { products: ['invoices'] },
          'verified',
          /payments:list .* add the product payments/,
        ],
        ['payments:transfer', {}, 'basic', /payments:transfer needs the KYC level verified/],
        ['unknown:scope', {}, 'verified', /unknown:scope does not exist/],
        ['openid fax', {}, 'verified', /fax does not exist/],
        ['invoices:create', without, 'verified', /invoices:create was removed/],
        ['invoices:read invoices:create', without, 'verified', /invoices:create was removed/],
      ]
      for (const [scope, options, level, reason] of cases) {
        setLevel(level)
        const { client_id } = await host.createApplication(options)
        const answer = await rejectionOf(client_id, { scope })
        expect([scope, answer['error']]).toEqual([scope, 'invalid_scope'])
        expect(answer['error_description']).toMatch(reason)
      }
    })

    it('an application without a product, or whose operations all need a higher level, gets unauthorized_client', async () => {
      const { client_id } = await host.createApplication({ products: [] })
      const answer = await rejectionOf(client_id, {})
      expect(answer['error']).toBe('unauthorized_client')
      expect(answer['error_description']).toContain('add one')
      const removedOperations = ['payments:list']
      const other = await host.createApplication({ products: ['payments'], removedOperations })
      setLevel('basic')
      expect(await rejectionOf(other.client_id, {})).toMatchObject({ error: 'unauthorized_client' })
    })
  })

  describe('scopes at the code exchange', () => {
    it('when a product is removed or the KYC level falls before the code exchange, the token carries the remaining scopes', async () => {
      const application = await host.createApplication()
      const { code, browser } = await authorize(host, application.client_id)
      const { code: second } = await authorize(host, application.client_id, { browser })
      setLevel('none')
      expect((await host.exchangeCode(application, code)).body['scope']).not.toContain('payments:transfer')
      await host.gatehouse.applications.removeProduct(application.client_id, 'payments')
      const { status, body } = await host.exchangeCode(application, second)
      expect(status).toBe(200)
      expect(body['scope']).toBe('invoices:read invoices:create')
      expect((await host.call('GET /payments/list', String(body['access_token']))).status).toBe(403)
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
    it('removing a product or a lower KYC level narrows the scope of the next refresh, and undoing this restores the scope', async () => {
      const application = await host.createApplication()
      const { applications } = host.gatehouse
      let { refresh_token } = await connect(host, application)
      const refreshed = async () => {
        const { body } = await host.refresh(application, refresh_token)
        refresh_token = String(body['refresh_token'])
        return body['scope']
      }
      await applications.removeProduct(application.client_id, 'payments')
      expect(await refreshed()).toBe('invoices:read invoices:create')
      await applications.addProduct(application.client_id, 'payments')
      expect(await refreshed()).toBe(ALL)
      setLevel('basic')
      expect(await refreshed()).toBe('invoices:read invoices:create payments:list')
      setLevel('verified')
      expect(await refreshed()).toBe(ALL)
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

    it.each([
      ['no scope remains', ['invoices'], 'invalid_scope'],
      ['the application has no product', [], 'unauthorized_client'],
    ])(
      'when %s, a refresh is rejected, and the refresh token works again after the product is added again',
      async (_, others, error) => {
        const application = await host.createApplication({ products: ['payments', ...others] })
        const { applications } = host.gatehouse
        const scope = 'payments:list'
        const { refresh_token } = await connect(host, application, { parameters: { scope } })
        await applications.removeProduct(application.client_id, 'payments')
        // Waits until the audit trail has the entry of the change.
        await host.gatehouse.audit.list()
        const before = writes.length
        for (let attempt = 0; attempt < 2; attempt += 1) {
          const rejected = await host.refresh(application, refresh_token)
          expect([rejected.status, rejected.body['error']]).toEqual([400, error])
        }
        expect(writes.slice(before)).toEqual([])
        await applications.addProduct(application.client_id, 'payments')
        const { status, body } = await host.refresh(application, refresh_token)
        expect([status, body['scope']]).toEqual([200, scope])
      },
    )

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
})
