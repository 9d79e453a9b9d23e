import { decodeJwt } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { authorizationUrl, authorize, CALLBACK, connect, startHost, type Host } from '../../support/host.ts'
import { describeEachStore, watchWrites } from '../../support/stores.ts'

const ALL = 'invoices:read invoices:create payments:list payments:transfer'

describeEachStore('Scopes', (makeStore) => {
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
  const direct = (key: Record<string, string>, parameters = {}) =>
    host.token({ ...key, grant_type: 'client_credentials', ...parameters })
  const exchange = (application: Record<string, string>, code: string, parameters = {}) =>
    host.token({ ...application, grant_type: 'authorization_code', code, ...parameters })
  const refresh = (application: Record<string, string>, refresh_token: unknown, parameters = {}) =>
    host.token({
      ...application,
      grant_type: 'refresh_token',
      refresh_token: String(refresh_token),
      ...parameters,
    })
  async function rejectionOf(clientId: string, parameters: Record<string, string>) {
    const { url } = await host.browser().open(authorizationUrl(host, clientId, parameters))
    expect(`${url.origin}${url.pathname}`).toBe(CALLBACK)
    const answer = Object.fromEntries(url.searchParams)
    expect(answer).toMatchObject({ state: 'xyz', iss: host.issuer })
    expect(answer).not.toHaveProperty('code')
    return answer
  }

  describe('direct access', () => {
    it('without a scope parameter the token carries all scopes of all products', async () => {
      const key = await host.createApiKey()
      expect((await direct(key)).body['scope']).toBe(ALL)
      expect((await direct(key, { scope: '' })).body['scope']).toBe(ALL)
    })

    it('with a scope parameter it carries exactly those asked for, each once', async () => {
      const key = await host.createApiKey()
      const { body } = await direct(key, { scope: 'payments:list invoices:read payments:list' })
      expect(body['scope']).toBe('payments:list invoices:read')
      expect(decodeJwt(String(body['access_token']))['scope']).toBe('payments:list invoices:read')
    })

    it.each(['payments:list', 'unknown', 'openid', 'invoices:read payments:list', 'INVOICES:READ'])(
      'a scope that the key does not have is invalid_scope: %s',
      async (scope) => {
        const key = await host.createApiKey(['invoices'])
        const before = writes.length
        const { status, body, headers } = await direct(key, { scope })
        expect(status).toBe(400)
        expect(body['error']).toBe('invalid_scope')
        expect(body['error_description']).toContain(scope.split(' ').at(-1))
        expect(body['access_token']).toBeUndefined()
        expect(headers.get('cache-control')).toBe('no-store')
        expect(writes.slice(before)).toEqual([])
      },
    )

    it('an operation taken off the key is not in its tokens, and cannot be asked for', async () => {
      const key = await host.createApiKey()
      await host.gatehouse.apiKeys.removeOperation(key.client_id, 'payments:transfer')
      expect((await direct(key)).body['scope']).toBe('invoices:read invoices:create payments:list')
      const { status, body } = await direct(key, { scope: 'payments:transfer' })
      expect([status, body['error']]).toEqual([400, 'invalid_scope'])
    })

    it("the KYC level of the key's owner limits nothing", async () => {
      setLevel('none')
      expect((await direct(await host.createApiKey())).body['scope']).toBe(ALL)
    })

    it('a key whose operations were all taken off cannot be used, like one without a product', async () => {
      const key = await host.createApiKey(['invoices'])
      await host.gatehouse.apiKeys.removeOperation(key.client_id, 'invoices:read')
      await host.gatehouse.apiKeys.removeOperation(key.client_id, 'invoices:create')
      const { status, body } = await direct(key)
      expect([status, body['error']]).toEqual([400, 'unauthorized_client'])
    })

    it('a key whose account is gone cannot be used', async () => {
      const key = await host.createApiKey()
      host.accounts.delete('acme')
      const { status, body } = await direct(key)
      expect([status, body['error']]).toEqual([400, 'unauthorized_client'])
      expect(body['error_description']).toContain('account')
    })
  })

  describe('the authorization request', () => {
    it('without a scope parameter it asks for all that the application may ask for, and not for openid', async () => {
      const application = await host.createApplication()
      await host.gatehouse.applications.removeOperation(application.client_id, 'invoices:create')
      setLevel('basic')
      const tokens = await connect(host, application)
      expect(tokens.scope).toBe('invoices:read payments:list')
      expect(tokens.id_token).toBeUndefined()
    })

    it('offline_access is ignored: a refresh token comes anyway', async () => {
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
    ] as const)('asking for too much is invalid_scope: %s of %s at %s', async (scope, ids, level, reason) => {
      setLevel(level)
      const { client_id } = await host.createApplication({ products: ids })
      const answer = await rejectionOf(client_id, { scope })
      expect(answer['error']).toBe('invalid_scope')
      expect(answer['error_description']).toMatch(reason)
    })

    it('an operation taken off the application cannot be asked for', async () => {
      const { client_id } = await host.createApplication()
      await host.gatehouse.applications.removeOperation(client_id, 'invoices:create')
      const answer = await rejectionOf(client_id, { scope: 'invoices:create' })
      expect(answer['error']).toBe('invalid_scope')
      expect(answer['error_description']).toContain('invoices:create was removed')
    })

    it('of an application without a product it is unauthorized_client, and says what to do', async () => {
      const { client_id } = await host.createApplication({ products: [] })
      const answer = await rejectionOf(client_id, {})
      expect(answer['error']).toBe('unauthorized_client')
      expect(answer['error_description']).toContain('add one')
    })

    it('of an application that may ask for nothing now it is invalid_scope', async () => {
      const application = await host.createApplication({
        products: ['payments'],
        removedOperations: ['payments:list'],
      })
      setLevel('basic')
      expect(await rejectionOf(application.client_id, {})).toMatchObject({ error: 'invalid_scope' })
    })
  })

  describe('between authorization and code exchange', () => {
    it('a product is taken off: the token carries what is left', async () => {
      const application = await host.createApplication()
      const { code } = await authorize(host, application.client_id)
      await host.gatehouse.applications.removeProduct(application.client_id, 'payments')
      const { status, body } = await exchange(application, code)
      expect(status).toBe(200)
      expect(body['scope']).toBe('invoices:read invoices:create')
      expect((await host.call('GET /payments/list', String(body['access_token']))).status).toBe(403)
    })

    it('the KYC level falls: the token carries what is left', async () => {
      const application = await host.createApplication()
      const { code } = await authorize(host, application.client_id)
      setLevel('none')
      expect((await exchange(application, code)).body['scope']).not.toContain('payments:transfer')
    })

    it('nothing is left: invalid_scope, and the code stays usable', async () => {
      const application = await host.createApplication()
      const { applications } = host.gatehouse
      const { code } = await authorize(host, application.client_id, {
        parameters: { scope: 'payments:list' },
      })
      await applications.removeProduct(application.client_id, 'payments')
      const rejected = await exchange(application, code)
      expect([rejected.status, rejected.body['error']]).toEqual([400, 'invalid_scope'])
      expect(rejected.body).not.toHaveProperty('access_token')
      await applications.addProduct(application.client_id, 'payments')
      expect((await exchange(application, code)).body['scope']).toBe('payments:list')
    })
  })

  describe('between two refreshes', () => {
    it('a product is taken off and comes back: the scope shrinks and grows again', async () => {
      const application = await host.createApplication()
      const { applications } = host.gatehouse
      const tokens = await connect(host, application)
      await applications.removeProduct(application.client_id, 'payments')
      const fewer = await refresh(application, tokens.refresh_token)
      expect(fewer.body['scope']).toBe('invoices:read invoices:create')
      await applications.addProduct(application.client_id, 'payments')
      const again = await refresh(application, fewer.body['refresh_token'])
      expect(again.body['scope']).toBe(ALL)
    })

    it('the KYC level falls and rises: the scope shrinks and grows again', async () => {
      const application = await host.createApplication()
      const tokens = await connect(host, application)
      setLevel('basic')
      const fewer = await refresh(application, tokens.refresh_token)
      expect(fewer.body['scope']).toBe('invoices:read invoices:create payments:list')
      setLevel('verified')
      const again = await refresh(application, fewer.body['refresh_token'])
      expect(again.body['scope']).toBe(ALL)
    })

    it('what the user never authorized does not come with a higher KYC level or another product', async () => {
      setLevel('basic')
      const application = await host.createApplication({ products: ['payments'] })
      const tokens = await connect(host, application)
      expect(tokens.scope).toBe('payments:list')
      setLevel('verified')
      await host.gatehouse.applications.addProduct(application.client_id, 'invoices')
      const { body } = await refresh(application, tokens.refresh_token)
      expect(body['scope']).toBe('payments:list')
    })

    it('nothing is left: invalid_scope, and the refresh token works again when the product is back', async () => {
      const application = await host.createApplication()
      const { applications } = host.gatehouse
      const scope = 'payments:list'
      const { refresh_token } = await connect(host, application, { parameters: { scope } })
      await applications.removeProduct(application.client_id, 'payments')
      const before = writes.length
      for (let attempt = 0; attempt < 2; attempt += 1) {
        const rejected = await refresh(application, refresh_token)
        expect([rejected.status, rejected.body['error']]).toEqual([400, 'invalid_scope'])
      }
      expect(writes.slice(before)).toEqual([])
      await applications.addProduct(application.client_id, 'payments')
      const { status, body } = await refresh(application, refresh_token)
      expect([status, body['scope']]).toEqual([200, scope])
    })

    it('the last product is taken off: unauthorized_client, and the refresh token works again with it', async () => {
      const application = await host.createApplication({ products: ['invoices'] })
      const { refresh_token } = await connect(host, application)
      await host.gatehouse.applications.removeProduct(application.client_id, 'invoices')
      const rejected = await refresh(application, refresh_token)
      expect([rejected.status, rejected.body['error']]).toEqual([400, 'unauthorized_client'])
      expect(rejected.body['error_description']).toContain('no API product')
      await host.gatehouse.applications.addProduct(application.client_id, 'invoices')
      expect((await refresh(application, refresh_token)).status).toBe(200)
    })

    it("the developer's account is gone: unauthorized_client, and the refresh token works again with it", async () => {
      const application = await host.createApplication()
      const { refresh_token } = await connect(host, application)
      host.accounts.delete('acme')
      const rejected = await refresh(application, refresh_token)
      expect([rejected.status, rejected.body['error']]).toEqual([400, 'unauthorized_client'])
      expect(await rejectionOf(application.client_id, {})).toMatchObject({ error: 'unauthorized_client' })
      setLevel('verified')
      expect((await refresh(application, refresh_token)).status).toBe(200)
    })

    it("the user's account is gone: invalid_grant", async () => {
      host.accounts.set('carol', { id: 'carol' })
      const application = await host.createApplication()
      const tokens = await connect(host, application, { user: 'carol' })
      host.accounts.delete('carol')
      const { status, body } = await refresh(application, tokens.refresh_token)
      expect([status, body['error']]).toEqual([400, 'invalid_grant'])
      expect(body).not.toHaveProperty('access_token')
    })

    it('with a scope parameter the token is narrower, the next one need not be', async () => {
      const application = await host.createApplication()
      const tokens = await connect(host, application)
      const narrow = await refresh(application, tokens.refresh_token, { scope: 'payments:list' })
      expect(narrow.body['scope']).toBe('payments:list')
      expect((await host.call('GET /invoices/list', String(narrow.body['access_token']))).status).toBe(403)
      const again = await refresh(application, narrow.body['refresh_token'])
      expect(again.body['scope']).toBe(ALL)
    })

    it('a scope that was not authorized is invalid_scope, and the refresh token stays usable', async () => {
      const application = await host.createApplication()
      const tokens = await connect(host, application, { untick: ['invoices:create'] })
      for (const scope of ['invoices:create', 'invoices:read invoices:create', 'openid', 'unknown']) {
        const { status, body } = await refresh(application, tokens.refresh_token, { scope })
        expect([status, body['error']], scope).toEqual([400, 'invalid_scope'])
      }
      expect((await refresh(application, tokens.refresh_token)).body['scope']).toBe(tokens.scope)
    })
  })

  describe('an unknown resource is invalid_target', () => {
    const resource = 'https://evil.example/'

    it('at the authorization request', async () => {
      const { client_id } = await host.createApplication()
      expect(await rejectionOf(client_id, { resource })).toMatchObject({ error: 'invalid_target' })
    })

    it('at the client credentials grant', async () => {
      const key = await host.createApiKey()
      const { status, body } = await direct(key, { resource })
      expect([status, body['error']]).toEqual([400, 'invalid_target'])
      expect(body).not.toHaveProperty('access_token')
      expect((await direct(key, { resource: host.audience })).status).toBe(200)
    })

    it('at the code exchange, and the code stays usable', async () => {
      const application = await host.createApplication()
      const { code } = await authorize(host, application.client_id)
      const { status, body } = await exchange(application, code, { resource })
      expect([status, body['error']]).toEqual([400, 'invalid_target'])
      expect((await exchange(application, code, { resource: host.audience })).status).toBe(200)
    })

    it('at a refresh, and the refresh token stays usable', async () => {
      const application = await host.createApplication()
      const { refresh_token } = await connect(host, application)
      const { status, body } = await refresh(application, refresh_token, { resource })
      expect([status, body['error']]).toEqual([400, 'invalid_target'])
      expect((await refresh(application, refresh_token, { resource: host.audience })).status).toBe(200)
    })
  })
})
