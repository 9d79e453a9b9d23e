// Also runs on: Redis
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createGatehouse, type ProductDefinitions } from 'koa-gatehouse'
import { products } from '../../fixtures/products.ts'
import { authorizationUrl, connect, startHost, type Host } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'
import { base } from './start-setup.ts'

describeEachStore('the service', (makeStore) => {
  const hosts: Host[] = []
  afterEach(async () => {
    vi.useRealTimers()
    for (const host of hosts.splice(0)) await host.close()
  })
  async function start(options: Parameters<typeof startHost>[0]) {
    const host = await startHost(options)
    hosts.push(host)
    return host
  }

  describe('lastUsedAt', () => {
    const HOUR = 3600
    it('lastUsedAt is the start of the hour in which the last token was issued, or createdAt if the client was created after the start of that hour', async () => {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 5, 1, 12, 34, 56) })
      const noon = Date.UTC(2026, 5, 1, 12) / 1000
      const createdAt = Date.UTC(2026, 5, 1, 12, 34, 56) / 1000
      const host = await start({ store: makeStore() })
      const { apiKeys, applications } = host.gatehouse
      const key = await host.createApiKey()
      const application = await host.createApplication()
      expect((await apiKeys.find(key.client_id))?.lastUsedAt).toBeUndefined()

      await host.token({ ...key, client_secret: 'wrong', grant_type: 'client_credentials' })
      expect((await apiKeys.find(key.client_id))?.lastUsedAt).toBeUndefined()
      await host.requestDirectToken(key)
      const { refresh_token } = await connect(host, application)
      await vi.waitFor(async () => {
        expect((await apiKeys.find(key.client_id))?.lastUsedAt).toBe(createdAt)
        expect((await applications.find(application.client_id))?.lastUsedAt).toBe(createdAt)
      })

      vi.setSystemTime(Date.now() + HOUR * 1000)
      await host.refresh(application, refresh_token)
      await vi.waitFor(async () => {
        expect((await applications.find(application.client_id))?.lastUsedAt).toBe(noon + HOUR)
      })
      expect((await apiKeys.find(key.client_id))?.lastUsedAt).toBe(createdAt)
    })
  })

  describe('products from a function', () => {
    let current: ProductDefinitions
    beforeEach(() => {
      current = products
    })
    const withReports: ProductDefinitions = {
      ...products,
      reports: {
        title: 'Reports',
        operations: { 'reports:read': { route: 'GET /reports/list', title: 'Read reports' } },
      },
    }
    /** Their route repeats the path of `audience`: it would be `/api/api/reports/list`. */
    const repeating: ProductDefinitions = {
      ...products,
      reports: {
        title: 'Reports',
        operations: { 'reports:read': { route: 'GET /api/reports/list', title: 'Read reports' } },
      },
    }
    const REPEATED = {
      code: 'ERR_OPTIONS',
      problems: [expect.objectContaining({ path: "products.reports.operations['reports:read'].route" })],
    }
    const gatehouse = { products: async () => current }
    async function scopesOf(host: Host): Promise<string[]> {
      const response = await fetch(`${host.issuer}/.well-known/openid-configuration`)
      return ((await response.json()) as { scopes_supported: string[] }).scopes_supported
    }

    it('catalog.reload() makes every process use the new products', async () => {
      const one = await start({ store: makeStore('reload'), gatehouse })
      const other = await start({ store: makeStore('reload'), gatehouse })
      for (const host of [one, other]) {
        expect(await scopesOf(host)).not.toContain('reports:read')
        expect((await host.call('GET /reports/list')).status).toBe(404)
      }
      const reloaded = new Promise((resolve) => {
        other.gatehouse.on('catalog.reloaded', resolve)
      })
      current = withReports
      await one.gatehouse.catalog.reload()
      expect(await reloaded).toEqual({ products: 3, operations: 5 })
      for (const host of [one, other]) {
        expect(await scopesOf(host)).toContain('reports:read')
        expect((await host.call('GET /reports/list')).status).toBe(401)
        expect(host.reached).toEqual([])
      }

      const key = await one.createApiKey(['reports'])
      const { body } = await other.requestDirectToken(key)
      expect(body['scope']).toBe('reports:read')
      expect((await other.call('GET /reports/list', String(body['access_token']))).status).toBe(200)
    })

    it('catalog.reload() rejects invalid products with all their problems, and the last valid products stay in use', async () => {
      const host = await start({ store: makeStore(), gatehouse })
      await host.gatehouse.ready()
      const key = { ...(await host.createApiKey()), grant_type: 'client_credentials' }
      const before = await host.token(key)
      const rejected = vi.fn()
      host.gatehouse.on('catalog.rejected', rejected)
      current = {
        invoices: {
          title: '',
          operations: { 'bad scope': { route: 'FETCH /x', title: 'x' } as never },
        },
      }
      await expect(host.gatehouse.catalog.reload()).rejects.toMatchObject({
        code: 'ERR_CATALOG',
        problems: expect.arrayContaining([
          expect.objectContaining({ path: expect.stringContaining('bad scope') }),
        ]),
      })
      expect(rejected).toHaveBeenCalledOnce()
      expect((await host.token(key)).body['scope']).toBe(before.body['scope'])
      current = withReports
      await host.gatehouse.catalog.reload()
      expect(await scopesOf(host)).toContain('reports:read')
    })

    it('catalog.reload() rejects routes that repeat the path of {base_url} with ERR_OPTIONS, and the last valid products stay in use', async () => {
      const host = await start({ store: makeStore(), gatehouse })
      await host.gatehouse.ready()
      const rejected = vi.fn()
      host.gatehouse.on('catalog.rejected', rejected)
      current = repeating
      await expect(host.gatehouse.catalog.reload()).rejects.toMatchObject(REPEATED)
      expect(rejected).toHaveBeenCalledExactlyOnceWith({ error: expect.objectContaining(REPEATED) as Error })
      const { checks } = await host.gatehouse.health()
      expect(checks.find(({ name }) => name === 'products')).toMatchObject({
        status: 'warn',
        remedy: expect.stringContaining('Correct the products') as string,
      })
      expect(await scopesOf(host)).not.toContain('reports:read')
      expect((await host.call('GET /invoices/list')).status).toBe(401)
      current = withReports
      await host.gatehouse.catalog.reload()
      expect(await scopesOf(host)).toContain('reports:read')
    })

    it('createGatehouse() throws ERR_OPTIONS for products whose routes repeat the path of audience, unless only another resource has them', () => {
      const create = (options: object) => createGatehouse({ ...base, ...options, store: makeStore() })
      expect(() => create({ products: repeating })).toThrow(expect.objectContaining(REPEATED))
      const resources = {
        [base.audience]: { products: ['invoices', 'payments'] },
        'https://mcp.example/mcp': { products: ['reports'], title: 'Reports' },
      }
      expect(() => create({ products: repeating, resources })).not.toThrow()
    })

    it('products whose routes repeat the path of {base_url} do not start, until the function returns others', async () => {
      current = repeating
      const host = await start({ store: makeStore(), gatehouse })
      await expect(host.gatehouse.ready()).rejects.toMatchObject(REPEATED)
      expect((await host.call('GET /reports/list')).status).toBe(503)
      expect(host.reached).toEqual([])
      current = withReports
      await host.gatehouse.ready()
      expect((await host.call('GET /reports/list')).status).toBe(401)
    })

    it('after catalog.reload() a removed operation is in no new token, and its route answers 404', async () => {
      const host = await start({ store: makeStore(), gatehouse })
      await host.gatehouse.ready()
      const key = { ...(await host.createApiKey()), grant_type: 'client_credentials' }
      const { body } = await host.token(key)
      expect((await host.call('GET /payments/list', String(body['access_token']))).status).toBe(200)
      current = { invoices: products.invoices }
      await host.gatehouse.catalog.reload()
      expect((await host.token(key)).body['scope']).toBe('invoices:read invoices:create')
      expect((await host.call('GET /payments/list', String(body['access_token']))).status).toBe(404)
      expect(host.reached).toHaveLength(1)
    })
  })

  describe('ready() and close()', () => {
    it('ready() resolves once tokens can be issued, and may be called again', async () => {
      const host = await start({ store: makeStore() })
      await Promise.all([host.gatehouse.ready(), host.gatehouse.ready()])
      await host.gatehouse.ready({ timeoutMs: 1 })
      await host.gatehouse.gateway.ready()
    })

    it('without ready(), the first call of a service waits for the start, even if a function loads the products', async () => {
      const host = await start({ store: makeStore(), gatehouse: { products: async () => products } })
      const { apiKey } = await host.gatehouse.apiKeys.create({
        accountId: 'acme',
        name: 'Early',
        products: ['invoices'],
      })
      expect(await host.gatehouse.apiKeys.find(apiKey.clientId)).toMatchObject({ products: ['invoices'] })
    })

    it('a start with another secret fails, requests get 500 without details, and the other processes go on', async () => {
      const store = { ...makeStore(), volatile: false }
      const before = await start({ store })
      const key = await before.createApiKey()
      const after = await start({ gatehouse: { store, secret: 'the secret of today, which is long enough' } })
      await expect(after.gatehouse.ready()).rejects.toMatchObject({
        code: 'ERR_SECRET_MISMATCH',
        message: expect.stringMatching(
          /encrypted under another `secret`.*later entry of the list.*Nothing was changed/,
        ),
      })
      const rejection = await after.requestDirectToken(key)
      expect([rejection.status, rejection.body]).toEqual([
        500,
        { error: 'server_error', error_description: 'something went wrong on our side' },
      ])
      expect((await before.requestDirectToken(key)).status).toBe(200)
    })

    it('without ready(), the first request waits for the start', async () => {
      const host = await start({ store: makeStore() })
      const response = await fetch(`${host.issuer}/oauth2/jwks`)
      expect(response.status).toBe(200)
      expect(await response.json()).toMatchObject({ keys: expect.arrayContaining([expect.anything()]) })
    })

    it('close() may be called several times, and requests after close() get 503', async () => {
      const host = await start({ store: makeStore() })
      const key = { ...(await host.createApiKey()), grant_type: 'client_credentials' }
      const { client_id } = await host.createApplication()
      const { body } = await host.token(key)
      const token = String(body['access_token'])
      expect((await host.call('GET /invoices/list', token)).status).toBe(200)

      await Promise.all([host.gatehouse.close(), host.gatehouse.close()])
      await host.gatehouse.close()
      const rejected = await host.token(key)
      expect(rejected.status).toBe(503)
      expect(rejected.headers.get('retry-after')).toBe('1')
      expect(rejected.headers.get('cache-control')).toBe('no-store')
      expect(rejected.body['error']).toBe('temporarily_unavailable')
      const page = await host.browser().open(authorizationUrl(host, client_id))
      expect(page.status).toBe(503)
      expect(page.headers.get('content-type')).toMatch(/^text\/html/)
      const call = await host.call('GET /invoices/list', token)
      expect([call.status, call.body['error']]).toEqual([503, 'temporarily_unavailable'])
      expect(host.reached).toHaveLength(1)
      await expect(host.gatehouse.ready()).rejects.toMatchObject({ code: 'ERR_CLOSED' })
      await expect(host.gatehouse.gateway.ready()).rejects.toMatchObject({ code: 'ERR_CLOSED' })
      const { apiKeys, applications } = host.gatehouse
      const calls = [() => apiKeys.create({ accountId: 'acme', name: 'Late' }), () => applications.list()]
      for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'ERR_CLOSED' })
    })

    it('close() may be called before the service has started', async () => {
      const host = await start({ store: makeStore() })
      await host.gatehouse[Symbol.asyncDispose]()
      expect((await host.token({ grant_type: 'client_credentials' })).status).toBe(503)
    })

    it('close() does not close the store, and after a restart access tokens, refresh tokens and sessions are valid', async () => {
      const store = makeStore()
      const first = await start({ store })
      const application = await first.createApplication()
      const browser = first.browser()
      const tokens = await connect(first, application, { browser })
      const { port } = first
      await first.close()
      hosts.splice(0)

      const second = await start({ store, port })
      // Wait until fetch has noticed that its connections to the first process are closed.
      await vi.waitFor(() => fetch(second.origin))
      expect((await second.call('GET /invoices/list', tokens.access_token)).status).toBe(200)
      const { status } = await second.refresh(application, tokens.refresh_token)
      expect(status).toBe(200)
      const url = authorizationUrl(second, application.client_id, { prompt: 'none' })
      expect((await browser.open(url)).url.searchParams.has('code')).toBe(true)
    })
  })
})
