// Also runs on: Redis
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { connect, startHost, type Host } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'

const HOUR_MS = 3_600_000
const TEN_DAYS_MS = 240 * HOUR_MS

describeEachStore('States and transitions', (makeStore) => {
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

  const listInvoices = (token: unknown) => host.call('GET /invoices/list', String(token))
  async function expectExpired(token: unknown) {
    const { status, headers, body } = await listInvoices(token)
    expect(status).toBe(401)
    expect(headers.get('www-authenticate')).toMatch(/^Bearer .*error="invalid_token".*expired/)
    expect(body['error']).toBe('invalid_token')
  }

  it('access token (direct access): valid until 10 days elapse, then expired.', async () => {
    const key = await host.createApiKey()
    const { body } = await host.requestDirectToken(key)
    vi.setSystemTime(Date.now() + TEN_DAYS_MS - 2000)
    expect((await listInvoices(body['access_token'])).status).toBe(200)
    vi.setSystemTime(Date.now() + 2000)
    await expectExpired(body['access_token'])
    expect(host.reached).toHaveLength(1)
  })

  it('access token (direct access), expired: An API call with it gets HTTP 401.', async () => {
    const key = await host.createApiKey()
    const { body } = await host.requestDirectToken(key)
    vi.setSystemTime(Date.now() + TEN_DAYS_MS)
    for (const target of ['GET /invoices/list', 'POST /invoices/create', 'GET /payments/list']) {
      expect((await host.call(target, String(body['access_token']))).status).toBe(401)
    }
    expect(host.reached).toEqual([])
  })

  it('access token (direct access), expired: A new token is obtained with a new client_credentials request.', async () => {
    const key = await host.createApiKey()
    const first = await host.requestDirectToken(key)
    vi.setSystemTime(Date.now() + TEN_DAYS_MS)
    const second = await host.requestDirectToken(key)
    expect(second.status).toBe(200)
    expect(second.body['access_token']).not.toBe(first.body['access_token'])
    expect((await listInvoices(second.body['access_token'])).status).toBe(200)
    await expectExpired(first.body['access_token'])
  })

  it('access token (delegated access): valid until 1 hour elapses, then expired.', async () => {
    const { access_token } = await connect(host, await host.createApplication())
    vi.setSystemTime(Date.now() + HOUR_MS - 2000)
    expect((await listInvoices(access_token)).status).toBe(200)
    vi.setSystemTime(Date.now() + 2000)
    await expectExpired(access_token)
    expect(host.reached).toHaveLength(1)
  })

  it('access token (delegated access), expired: An API call with it gets HTTP 401.', async () => {
    const { access_token } = await connect(host, await host.createApplication())
    vi.setSystemTime(Date.now() + HOUR_MS)
    for (const target of ['GET /invoices/list', 'POST /invoices/create', 'GET /payments/list']) {
      expect((await host.call(target, access_token)).status).toBe(401)
    }
    expect(host.reached).toEqual([])
  })

  it('access token (delegated access), expired: A new token is obtained with the refresh_token grant.', async () => {
    const application = await host.createApplication()
    const { access_token, refresh_token } = await connect(host, application)
    vi.setSystemTime(Date.now() + HOUR_MS)
    const { status, body } = await host.refresh(application, refresh_token)
    expect(status).toBe(200)
    expect((await listInvoices(body['access_token'])).status).toBe(200)
    await expectExpired(access_token)
  })

  it('refresh token: usable until exchanged at the token endpoint with grant_type=refresh_token, then decommissioned.', async () => {
    const application = await host.createApplication()
    const { refresh_token } = await connect(host, application)
    const refresh = () => host.refresh(application, refresh_token)
    expect((await refresh()).status).toBe(200)
    const second = await refresh()
    expect(second.status).toBe(400)
    expect(second.body['error']).toBe('invalid_grant')
    expect(second.body['access_token']).toBeUndefined()
  })

  it('refresh token: exchanged if the refresh token is found by the authorization service.', async () => {
    const application = await host.createApplication()
    const { refresh_token } = await connect(host, application)
    const changed = refresh_token.replace(/^[^.]+/, 'unknown-grant')
    for (const unknown of ['unknown', changed, `${refresh_token}x`, '']) {
      const { status, body } = await host.refresh(application, unknown)
      expect(status).toBe(400)
      expect(body['error']).toBe(unknown === '' ? 'invalid_request' : 'invalid_grant')
    }
    // A guessed token does not revoke the family.
    const { status } = await host.refresh(application, refresh_token)
    expect(status).toBe(200)
  })

  it('refresh token, exchanged: A new access token and a new refresh token are returned.', async () => {
    const application = await host.createApplication()
    const first = await connect(host, application)
    const { body } = await host.refresh(application, first.refresh_token)
    expect(body['access_token']).not.toBe(first.access_token)
    expect(body['refresh_token']).not.toBe(first.refresh_token)
    expect((await listInvoices(body['access_token'])).status).toBe(200)
  })

  it('refresh token, exchanged: The next expiry needs the newly issued refresh token.', async () => {
    const application = await host.createApplication()
    let { refresh_token } = await connect(host, application)
    for (let hour = 0; hour < 3; hour += 1) {
      vi.setSystemTime(Date.now() + HOUR_MS)
      const { status, body } = await host.refresh(application, refresh_token)
      expect(status).toBe(200)
      expect((await listInvoices(body['access_token'])).status).toBe(200)
      refresh_token = String(body['refresh_token'])
    }
  })
})
