import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { connect, startHost, type Host } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'

describeEachStore('Errors', (makeStore) => {
  let host: Host
  beforeAll(async () => {
    host = await startHost({ store: makeStore() })
  })
  beforeEach(() => {
    host.reached.splice(0)
    vi.useFakeTimers({ toFake: ['Date'] })
  })
  afterEach(() => void vi.useRealTimers())
  afterAll(() => host.close())

  it('401: The access token sent in the Authorization header has expired.', async () => {
    const { body } = await host.requestDirectToken(await host.createApiKey())
    vi.setSystemTime(Date.now() + 864_000_000)
    const call = await host.call('GET /invoices/list', String(body['access_token']))
    expect(call.status).toBe(401)
    expect(call.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(call.headers.get('cache-control')).toBe('no-store')
    const challenge = call.headers.get('www-authenticate')
    expect(challenge).toContain('error="invalid_token"')
    const metadata = `${host.origin}/.well-known/oauth-protected-resource/api`
    expect(challenge).toContain(`resource_metadata="${metadata}"`)
    expect(call.body).toEqual({
      error: 'invalid_token',
      error_description: expect.stringContaining('expired'),
    })
    expect(host.reached).toEqual([])
    expect(host.errors).toEqual([])
  })

  it('401: The client must obtain a fresh token: a new client_credentials request in direct access.', async () => {
    const key = await host.createApiKey()
    const { body } = await host.requestDirectToken(key)
    vi.setSystemTime(Date.now() + 864_000_000)
    expect((await host.call('GET /invoices/list', String(body['access_token']))).status).toBe(401)
    const fresh = await host.requestDirectToken(key)
    expect((await host.call('GET /invoices/list', String(fresh.body['access_token']))).status).toBe(200)
    expect(host.reached).toHaveLength(1)
  })

  it('401: The client must obtain a fresh token: a refresh_token grant in delegated access.', async () => {
    const application = await host.createApplication()
    const { access_token, refresh_token } = await connect(host, application)
    vi.setSystemTime(Date.now() + 3_600_000)
    expect((await host.call('GET /invoices/list', access_token)).status).toBe(401)
    const fresh = await host.refresh(application, refresh_token)
    expect((await host.call('GET /invoices/list', String(fresh.body['access_token']))).status).toBe(200)
    expect(host.reached).toHaveLength(1)
  })

  it('403: The token is valid but does not carry the scope of the called endpoint.', async () => {
    const direct = await host.requestDirectToken(await host.createApiKey(['invoices']))
    const delegated = await connect(host, await host.createApplication({ products: ['invoices'] }))
    for (const token of [String(direct.body['access_token']), delegated.access_token]) {
      const call = await host.call('GET /payments/list', token)
      expect(call.status).toBe(403)
      expect(call.headers.get('content-type')).toBe('application/json; charset=utf-8')
      const challenge = call.headers.get('www-authenticate')
      expect(challenge).toContain('error="insufficient_scope"')
      expect(challenge).toContain('scope="payments:list"')
      expect(call.body).toEqual({
        error: 'insufficient_scope',
        error_description: 'the access token does not carry the scope payments:list',
      })
    }
    expect(host.reached).toEqual([])
    expect(host.errors).toEqual([])
  })
})
