// Also runs on: Redis
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { authorizationUrl, authorize, CALLBACK, connect, startHost, type Host } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'

describe('Authentication', () => {
  describeEachStore('Delegated access (authorization code)', (makeStore) => {
    let host: Host
    beforeAll(async () => {
      host = await startHost({ store: makeStore() })
    })
    beforeEach(() => void host.reached.splice(0))
    afterEach(() => {
      vi.useRealTimers()
      host.accounts.set('acme', { id: 'acme', kycLevel: 'verified', claims: { name: 'Acme Ltd' } })
    })
    afterAll(() => host.close())

    const rejectionOf = async (clientId: string, scope: string) => {
      const { url } = await host.browser().open(authorizationUrl(host, clientId, { scope }))
      expect(`${url.origin}${url.pathname}`).toBe(CALLBACK)
      expect(url.searchParams.get('code')).toBeNull()
      return Object.fromEntries(url.searchParams)
    }

    it('1. Create an application and add at least one API product to it.', async () => {
      const { application, clientSecret } = await host.gatehouse.applications.create({
        accountId: 'acme',
        name: 'Ledger',
        redirectUris: [CALLBACK],
      })
      expect(application).toMatchObject({ kind: 'application', accountId: 'acme', products: [] })
      const { clientId } = application
      expect(await rejectionOf(clientId, '')).toMatchObject({ error: 'unauthorized_client', state: 'xyz' })
      await host.gatehouse.applications.addProduct(clientId, 'invoices')
      const tokens = await connect(host, { client_id: clientId, client_secret: clientSecret })
      expect(tokens.scope).toBe('invoices:read invoices:create')
    })

    it('1. An API product that contains an operation must be in the application before that operation can be requested.', async () => {
      const application = await host.createApplication({ products: ['invoices'] })
      const rejected = await rejectionOf(application.client_id, 'payments:list')
      expect(rejected).toMatchObject({ error: 'invalid_scope', state: 'xyz', iss: host.issuer })
      expect(rejected['error_description']).toMatch(/payments:list .* add the product payments/)
      await host.gatehouse.applications.addProduct(application.client_id, 'payments')
      const tokens = await connect(host, application, { parameters: { scope: 'payments:list' } })
      expect(tokens.scope).toBe('payments:list')
    })

    it('2. The user authorizes the application through the authorization endpoint, and an authorization code is obtained.', async () => {
      const { client_id } = await host.createApplication()
      const { callback, code, pages } = await authorize(host, client_id)
      expect(pages.map(({ status }) => status)).toEqual([200, 200, 0])
      expect(pages[1]?.body).toContain('Ledger')
      expect(code).not.toBe('')
      expect(callback.searchParams.get('iss')).toBe(host.issuer)

      const denied = await authorize(host, client_id, { deny: true, parameters: { prompt: 'consent' } })
      expect(denied.code).toBe('')
      expect(Object.fromEntries(denied.callback.searchParams)).toMatchObject({
        error: 'access_denied',
        state: 'xyz',
        iss: host.issuer,
      })
    })

    it('3. The application exchanges the code at the token endpoint (grant_type=authorization_code) with client_id, client_secret and code.', async () => {
      const application = await host.createApplication()
      const { code } = await authorize(host, application.client_id)
      const other = await host.createApplication()
      const stolen = await host.exchangeCode(other, code)
      expect([stolen.status, stolen.body['error']]).toEqual([400, 'invalid_grant'])
      const { status, headers } = await host.exchangeCode(application, code)
      expect(status).toBe(200)
      expect(headers.get('cache-control')).toBe('no-store')
    })

    it('3. It receives an access token and a refresh token.', async () => {
      const tokens = await connect(host, await host.createApplication())
      expect(tokens).toMatchObject({ access_token: expect.any(String), refresh_token: expect.any(String) })
    })

    it('4. The application calls the API with the bearer token.', async () => {
      const { access_token } = await connect(host, await host.createApplication())
      const { status, body } = await host.call('GET /invoices/list', access_token)
      expect(status).toBe(200)
      expect(body['auth']).toMatchObject({ mode: 'delegated', accountId: 'alice' })
    })

    it('5. After the access token expires (1 hour), the application uses the refresh token (grant_type=refresh_token) to obtain a new access token and a new refresh token.', async () => {
      vi.useFakeTimers({ toFake: ['Date'] })
      const application = await host.createApplication()
      const first = await connect(host, application)
      vi.setSystemTime(Date.now() + 3_600_000)
      expect((await host.call('GET /invoices/list', first.access_token)).status).toBe(401)
      expect(host.reached).toEqual([])
      const { status, body } = await host.refresh(application, first.refresh_token)
      expect(status).toBe(200)
      expect(body['expires_in']).toBe(3600)
      expect(body['refresh_token']).not.toBe(first.refresh_token)
      expect((await host.call('GET /invoices/list', String(body['access_token']))).status).toBe(200)
    })

    describe('Rules', () => {
      it('The token only carries the scopes that the user has authorized.', async () => {
        const application = await host.createApplication()
        const tokens = await connect(host, application, { untick: ['invoices:create', 'payments:list'] })
        expect(tokens.scope).toBe('invoices:read payments:transfer')
        expect((await host.call('GET /invoices/list', tokens.access_token)).status).toBe(200)
        expect((await host.call('POST /invoices/create', tokens.access_token)).status).toBe(403)
        expect((await host.call('GET /payments/list', tokens.access_token)).status).toBe(403)
        expect(host.reached).toEqual(['GET /api/invoices/list'])

        const { body } = await host.refresh(application, tokens.refresh_token)
        expect(body['scope']).toBe('invoices:read payments:transfer')
      })

      it("The set of additional operations that a developer may request on behalf of users depends on the developer's KYC level.", async () => {
        const application = await host.createApplication()
        expect((await connect(host, application)).scope).toContain('payments:transfer')

        host.accounts.set('acme', { id: 'acme', kycLevel: 'basic' })
        const rejected = await rejectionOf(application.client_id, 'payments:transfer')
        expect(rejected).toMatchObject({ error: 'invalid_scope', state: 'xyz', iss: host.issuer })
        expect(rejected['error_description']).toMatch(/payments:transfer needs the KYC level verified/)
        const tokens = await connect(host, application)
        expect(tokens.scope).toBe('invoices:read invoices:create payments:list')
        expect((await host.call('POST /payments/transfer', tokens.access_token)).status).toBe(403)
        expect(host.reached).toEqual([])
      })

      it("client_secret is only sent from the application's server to the token endpoint.", async () => {
        const application = await host.createApplication()
        const { code } = await authorize(host, application.client_id)
        const { client_id, client_secret } = application
        const without = await host.token({ client_id, grant_type: 'authorization_code', code })
        expect([without.status, without.body['error']]).toEqual([401, 'invalid_client'])
        expect(without.body['error_description']).toContain('client_secret is missing')
        const inQuery = await host.post(`/oauth2/token?client_secret=${client_secret}`, {
          client_id,
          grant_type: 'authorization_code',
          code,
        })
        expect([inQuery.status, inQuery.body['error']]).toEqual([401, 'invalid_client'])
        expect(inQuery.text).not.toContain(client_secret)
      })

      it('It is never sent to a browser.', async () => {
        const application = await host.createApplication()
        const { pages } = await authorize(host, application.client_id, { parameters: { scope: 'openid' } })
        const { clientId } = (await host.gatehouse.applications.find(application.client_id))!
        for (const page of pages) {
          const seen = `${page.url.href} ${[...page.headers].join()} ${page.body}`
          expect(seen).not.toContain(application.client_secret)
        }
        expect(JSON.stringify(await host.gatehouse.applications.find(clientId))).not.toContain(
          application.client_secret,
        )
      })
    })
  })
})
