import { decodeJwt } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { products } from '../../fixtures/products.ts'
import { basic, type Client } from '../../support/host-requests.ts'
import { authorize, connect, startHost, type Host } from '../../support/host.ts'
import { describeEachStore, watchWrites } from '../../support/stores.ts'

const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/

describeEachStore('Resources and their fields', (makeStore) => {
  let host: Host
  let writes: string[]
  beforeAll(async () => {
    const watched = watchWrites(makeStore())
    writes = watched.writes
    host = await startHost({ store: watched.store })
  })
  beforeEach(() => void host.reached.splice(0))
  afterAll(() => host.close())

  const direct = (key: Client) => host.requestDirectToken(key)

  describe('Application credentials', () => {
    it('client_id: Identifies the API key (direct access) or the application (delegated access).', async () => {
      const key = await host.createApiKey()
      const { body } = await direct(key)
      expect(decodeJwt(String(body['access_token']))).toMatchObject({
        client_id: key.client_id,
        sub: key.client_id,
      })
      const application = await host.createApplication()
      const { access_token } = await connect(host, application)
      expect(decodeJwt(access_token)).toMatchObject({ client_id: application.client_id, sub: 'alice' })
      expect(application.client_id).not.toBe(key.client_id)
    })

    it('client_secret: Secret paired with client_id.', async () => {
      const one = await host.createApiKey()
      const other = await host.createApiKey()
      const before = writes.length
      const { status, body, headers } = await direct({ ...one, client_secret: other.client_secret })
      expect(status).toBe(401)
      expect(body['error']).toBe('invalid_client')
      expect(headers.get('cache-control')).toBe('no-store')
      expect(writes.slice(before)).toEqual([])
      expect((await direct(one)).status).toBe(200)
    })

    it("client_secret: It must stay on the application's server side and is never handed to a user's browser.", async () => {
      const application = await host.createApplication()
      const found = await host.gatehouse.applications.find(application.client_id)
      expect(JSON.stringify(found)).not.toContain(application.client_secret)
      const { pages, callback } = await authorize(host, application.client_id)
      expect(pages.length).toBeGreaterThan(2)
      const seen = pages.map((page) => `${page.url.href} ${[...page.headers].join()} ${page.body}`)
      for (const text of [...seen, callback.href]) expect(text).not.toContain(application.client_secret)

      // A browser sends the Origin header, so gatehouse rejects a request with this header.
      const { status, body } = await host.token(
        { ...application, grant_type: 'authorization_code', code: callback.searchParams.get('code') ?? '' },
        { origin: 'https://shop.example' },
      )
      expect(status).toBe(400)
      expect(body['error']).toBe('invalid_request')
      expect(body['error_description']).toContain('client_secret must stay on a server')
    })

    it('client_secret: Its only use is at the token endpoint.', async () => {
      const key = await host.createApiKey()
      const call = await fetch(`${host.audience}/invoices/list`, { headers: basic(key) })
      expect(call.status).toBe(401)
      expect((await host.call('GET /invoices/list', key.client_secret)).status).toBe(401)
      expect(host.reached).toEqual([])
      const userinfo = await fetch(`${host.issuer}/oauth2/userinfo`, { headers: basic(key) })
      expect(userinfo.status).toBe(400)
      expect(await userinfo.json()).toMatchObject({ error: 'invalid_request' })
      expect((await direct(key)).status).toBe(200)
    })
  })

  describe('API product', () => {
    it('An API product is a named set of API operations. A product is added to an API key (direct access) or to an application (delegated access).', async () => {
      const key = await host.createApiKey(['invoices'])
      await host.gatehouse.apiKeys.addProduct(key.client_id, 'payments')
      expect((await direct(key)).body['scope']).toContain('payments:list')

      const application = await host.createApplication({ products: ['invoices'] })
      const before = await connect(host, application)
      expect(before.scope).not.toContain('payments:list')
      await host.gatehouse.applications.addProduct(application.client_id, 'payments')
      const after = await connect(host, application)
      expect(after.scope).toContain('payments:list')
    })
  })

  describe('Scope', () => {
    it('A scope is an API operation that a given token may invoke.', async () => {
      const key = await host.createApiKey()
      const { body } = await host.requestDirectToken(key, { scope: 'invoices:read' })
      expect(body['scope']).toBe('invoices:read')
      const token = String(body['access_token'])
      expect((await host.call('GET /invoices/list', token)).status).toBe(200)
      const rejected = await host.call('POST /invoices/create', token)
      expect(rejected.status).toBe(403)
      expect(rejected.headers.get('www-authenticate')).toContain('scope="invoices:create"')
      expect(host.reached).toEqual(['GET /api/invoices/list'])
    })

    it("The list of scopes that a product provides is part of that product's own reference.", async () => {
      for (const [id, product] of Object.entries(products)) {
        const { body } = await direct(await host.createApiKey([id]))
        expect(String(body['scope']).split(' ')).toEqual(Object.keys(product.operations))
      }
      const metadata = await fetch(`${host.origin}/.well-known/oauth-protected-resource/api`)
      const all = Object.values(products)
        .flatMap(({ operations }) => Object.keys(operations))
        .toSorted()
      expect(await metadata.json()).toMatchObject({ scopes_supported: all })
    })
  })

  describe('Token response (client credentials grant)', () => {
    it('Returned when the client_id and client_secret are known to the authorization service: access_token (JWT), expires_in, scope.', async () => {
      const key = await host.createApiKey()
      const { status, body: answer } = await direct(key)
      const scope = 'invoices:read invoices:create payments:list payments:transfer'
      expect([status, answer]).toEqual([
        200,
        { access_token: expect.stringMatching(JWT), token_type: 'Bearer', expires_in: 864_000, scope },
      ])
      expect(decodeJwt(String(answer['access_token']))['scope']).toBe(scope)
      const before = writes.length
      const unknown = await direct({ ...key, client_id: 'unknown' })
      const wrong = await direct({ ...key, client_secret: 'wrong' })
      expect(unknown.status).toBe(401)
      expect(unknown.body['error']).toBe('invalid_client')
      // The response does not reveal which client ids exist.
      expect([wrong.status, wrong.body]).toEqual([unknown.status, unknown.body])
      expect(writes.slice(before)).toEqual([])
    })
  })

  describe('Token response (authorization code grant and refresh token grant)', () => {
    it('It contains an access_token and a refresh_token. A successful refresh returns a response of the same form as the code exchange.', async () => {
      const application = await host.createApplication()
      for (const parameters of [{}, { scope: 'openid invoices:read' }]) {
        const first = await connect(host, application, { parameters })
        expect(first.access_token).toMatch(JWT)
        expect(first.refresh_token).toMatch(/\S{40,}/)
        expect((await host.call('GET /invoices/list', first.refresh_token)).status).toBe(401)
        const { status, body, headers } = await host.refresh(application, first.refresh_token)
        expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
        expect(Object.keys(body).toSorted()).toEqual(Object.keys(first).toSorted())
        expect(body).toMatchObject({ expires_in: 3600, scope: first.scope, token_type: 'Bearer' })
      }
    })
  })
})
