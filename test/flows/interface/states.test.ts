// Also runs on: Redis
import { decodeJwt } from 'jose'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Client } from '../../support/host-requests.ts'
import { connect, startHost, type Host } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'

const HOUR_MS = 3_600_000
const TEN_DAYS_MS = 240 * HOUR_MS

describeEachStore('States and transitions, limits, errors', (makeStore) => {
  let host: Host
  let application: Client
  beforeAll(async () => {
    host = await startHost({ store: makeStore() })
    application = await host.createApplication()
  })
  beforeEach(() => {
    host.reached.splice(0)
    vi.useFakeTimers({ toFake: ['Date'] })
  })
  afterEach(() => void vi.useRealTimers())
  afterAll(() => host.close())

  const listInvoices = (token: unknown) => host.call('GET /invoices/list', String(token))
  const expiryOf = (token: unknown) => (decodeJwt(String(token)).exp ?? 0) - Math.floor(Date.now() / 1000)

  /** Asserts that a token is valid for a time, and then expired: each call with it gets 401. */
  async function expectLifetime(token: unknown, lifetimeMs: number): Promise<void> {
    vi.setSystemTime(Date.now() + lifetimeMs - 2000)
    expect((await listInvoices(token)).status).toBe(200)
    vi.setSystemTime(Date.now() + 2000)
    for (const target of ['GET /invoices/list', 'POST /invoices/create', 'GET /payments/list']) {
      const { status, headers, body } = await host.call(target, String(token))
      expect(status).toBe(401)
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
      expect(headers.get('cache-control')).toBe('no-store')
      const challenge = headers.get('www-authenticate')
      expect(challenge).toMatch(/^Bearer .*error="invalid_token".*expired/)
      const metadata = `${host.origin}/.well-known/oauth-protected-resource/api`
      expect(challenge).toContain(`resource_metadata="${metadata}"`)
      expect(body).toEqual({
        error: 'invalid_token',
        error_description: expect.stringContaining('expired'),
      })
    }
    expect(host.reached).toHaveLength(1)
    expect(host.errors).toEqual([])
  }

  it('access token (direct access): valid until 10 days elapse, then expired. An API call with it gets HTTP 401. A new token is obtained with a new client_credentials request.', async () => {
    const key = await host.createApiKey()
    const { body } = await host.requestDirectToken(key)
    expect([body['expires_in'], expiryOf(body['access_token'])]).toEqual([864_000, 864_000])
    await expectLifetime(body['access_token'], TEN_DAYS_MS)
    const fresh = await host.requestDirectToken(key)
    expect((await listInvoices(fresh.body['access_token'])).status).toBe(200)
    expect((await listInvoices(body['access_token'])).status).toBe(401)
  })

  it('access token (delegated access): valid until 1 hour elapses, then expired. An API call with it gets HTTP 401. A new token is obtained with the refresh_token grant.', async () => {
    const tokens = await connect(host, application)
    expect([tokens.expires_in, expiryOf(tokens.access_token)]).toEqual([3600, 3600])
    await expectLifetime(tokens.access_token, HOUR_MS)
    const { status, body } = await host.refresh(application, tokens.refresh_token)
    expect(status).toBe(200)
    expect((await listInvoices(body['access_token'])).status).toBe(200)
    expect((await listInvoices(tokens.access_token)).status).toBe(401)
  })

  it('refresh token: usable until exchanged, then decommissioned. A new access token and a new refresh token are returned. The next expiry needs the newly issued refresh token.', async () => {
    let { access_token, refresh_token } = await connect(host, application)
    let used = ''
    for (let hour = 0; hour < 3; hour += 1) {
      vi.setSystemTime(Date.now() + HOUR_MS)
      const { status, body } = await host.refresh(application, refresh_token)
      expect(status).toBe(200)
      expect(body['access_token']).not.toBe(access_token)
      expect(body['refresh_token']).not.toBe(refresh_token)
      expect((await listInvoices(body['access_token'])).status).toBe(200)
      used = refresh_token
      ;[access_token, refresh_token] = [String(body['access_token']), String(body['refresh_token'])]
    }
    const again = await host.refresh(application, used)
    expect([again.status, again.body['error']]).toEqual([400, 'invalid_grant'])
    expect(again.body['access_token']).toBeUndefined()
  })

  it('refresh token: exchanged if the refresh token is found by the authorization service.', async () => {
    const { refresh_token } = await connect(host, application)
    const changed = refresh_token.replace(/^[^.]+/, 'unknown-grant')
    for (const unknown of ['unknown', changed, `${refresh_token}x`, '']) {
      const { status, body } = await host.refresh(application, unknown)
      expect([status, body['error']]).toEqual([400, unknown === '' ? 'invalid_request' : 'invalid_grant'])
    }
    // A guessed token does not revoke the family.
    expect((await host.refresh(application, refresh_token)).status).toBe(200)
  })

  it('Access token lifetime, client credentials: 10 days is a default', async () => {
    const other = await startHost({ gatehouse: { lifetimes: { directAccessToken: 120 } } })
    const { body } = await other.requestDirectToken(await other.createApiKey())
    expect([body['expires_in'], expiryOf(body['access_token'])]).toEqual([120, 120])
    await other.close()
  })

  it('Refresh token use: each refresh token is usable once; it is decommissioned when exchanged', async () => {
    const { refresh_token } = await connect(host, application)
    const refresh = () => host.refresh(application, refresh_token)
    const answers = await Promise.all(Array.from({ length: 10 }, refresh))
    expect(answers.map(({ status, body }) => `${status} ${String(body['error'])}`).toSorted()).toEqual([
      '200 undefined',
      ...Array<string>(9).fill('400 invalid_grant'),
    ])
  })

  describe('Errors', () => {
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
})
