// Also runs on: Redis
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { basic, type Client } from '../../support/host-requests.ts'
import { startHost, type Host } from '../../support/host.ts'
import { describeEachStore, watchWrites } from '../../support/stores.ts'

describe('Authentication', () => {
  describeEachStore('Direct access (client credentials)', (makeStore) => {
    let host: Host
    let writes: string[]
    beforeAll(async () => {
      const watched = watchWrites(makeStore())
      writes = watched.writes
      host = await startHost({ store: watched.store })
    })
    beforeEach(() => void host.reached.splice(0))
    afterEach(() => void vi.useRealTimers())
    afterAll(() => host.close())

    const request = (key: Client) => host.requestDirectToken(key)

    it('1. Create an API key and add at least one API product to it.', async () => {
      const { apiKeys } = host.gatehouse
      const { apiKey, clientSecret } = await apiKeys.create({ accountId: 'acme', name: 'Export' })
      expect(apiKey).toMatchObject({ kind: 'apiKey', accountId: 'acme', products: [] })
      const key = { client_id: apiKey.clientId, client_secret: clientSecret }
      const rejected = await request(key)
      expect([rejected.status, rejected.body['error']]).toEqual([400, 'unauthorized_client'])
      expect((await apiKeys.addProduct(apiKey.clientId, 'invoices')).products).toEqual(['invoices'])
      expect((await request(key)).status).toBe(200)
    })

    it('2. Send a client_credentials request to the token endpoint with client_id and client_secret.', async () => {
      const key = await host.createApiKey()
      const inBody = await request(key)
      expect(inBody.status).toBe(200)
      const inHeader = await host.token({ grant_type: 'client_credentials' }, basic(key))
      expect(inHeader.status).toBe(200)
      expect(inHeader.body['scope']).toBe(inBody.body['scope'])
      const wrong = await host.token({ grant_type: 'client_credentials' }, { authorization: 'Basic eDp5' })
      expect(wrong.status).toBe(401)
      expect(wrong.body['error']).toBe('invalid_client')
      expect(wrong.headers.get('www-authenticate')).toMatch(/^Basic /)
    })

    it('3. Store the returned access_token where only the application can read it.', async () => {
      const key = await host.createApiKey()
      const before = writes.length
      const { headers } = await request(key)
      expect(headers.get('cache-control')).toBe('no-store')
      // The service stores no copy of the token. It may write when the key and its secret were last used.
      const written = writes.slice(before).filter((write) => !/(client|secret)-usage/.test(write))
      expect(written).toEqual([])
    })

    it('4. Send the token as a bearer token on each API call.', async () => {
      const { body } = await request(await host.createApiKey())
      const token = String(body['access_token'])
      for (const target of ['GET /invoices/list', 'POST /invoices/create', 'GET /payments/list']) {
        expect((await host.call(target, token)).status).toBe(200)
        expect((await host.call(target)).status).toBe(401)
      }
      expect(host.reached).toHaveLength(3)
    })

    it('5. When the token has expired (API call returns 401), repeat step 2.', async () => {
      vi.useFakeTimers({ toFake: ['Date'] })
      const key = await host.createApiKey()
      const first = await request(key)
      vi.setSystemTime(Date.now() + 864_000_000)
      const rejected = await host.call('GET /invoices/list', String(first.body['access_token']))
      expect(rejected.status).toBe(401)
      expect(rejected.headers.get('www-authenticate')).toContain('error="invalid_token"')
      const second = await request(key)
      expect((await host.call('GET /invoices/list', String(second.body['access_token']))).status).toBe(200)
      expect(host.reached).toHaveLength(1)
    })

    describe('Rules', () => {
      it('A token issued in this mode carries all scopes of all products added to the API key.', async () => {
        const key = await host.createApiKey(['invoices'])
        expect((await request(key)).body['scope']).toBe('invoices:read invoices:create')
        await host.gatehouse.apiKeys.addProduct(key.client_id, 'payments')
        const { body } = await request(key)
        expect(body['scope']).toBe('invoices:read invoices:create payments:list payments:transfer')
      })

      it("Operations that the application does not need should be removed from the key's products, so that tokens carry only the scopes required.", async () => {
        const key = await host.createApiKey(['invoices'])
        const changed = await host.gatehouse.apiKeys.removeOperation(key.client_id, 'invoices:create')
        expect(changed.products).toEqual(['invoices'])
        const { body } = await request(key)
        expect(body['scope']).toBe('invoices:read')
        const token = String(body['access_token'])
        expect((await host.call('POST /invoices/create', token)).status).toBe(403)
        expect((await host.call('GET /invoices/list', token)).status).toBe(200)
        expect(host.reached).toEqual(['GET /api/invoices/list'])

        await host.gatehouse.apiKeys.restoreOperation(key.client_id, 'invoices:create')
        expect((await request(key)).body['scope']).toBe('invoices:read invoices:create')
      })
    })
  })
})
