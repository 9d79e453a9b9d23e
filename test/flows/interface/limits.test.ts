import { decodeJwt } from 'jose'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { authorizationUrl, connect, startHost, type Host } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'

describeEachStore('Limits', (makeStore) => {
  let host: Host
  beforeAll(async () => {
    host = await startHost({ store: makeStore() })
  })
  afterEach(() => void vi.useRealTimers())
  afterAll(() => host.close())

  it('Access token lifetime, client credentials: 10 days (default; reported in seconds in expires_in)', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const { body } = await host.requestDirectToken(await host.createApiKey())
    expect(body['expires_in']).toBe(864_000)
    const now = Math.floor(Date.now() / 1000)
    expect(decodeJwt(String(body['access_token'])).exp).toBe(now + 864_000)
  })

  it('Access token lifetime, client credentials: 10 days is a default', async () => {
    const other = await startHost({ gatehouse: { lifetimes: { directAccessToken: 120 } } })
    const key = await other.createApiKey()
    const { body } = await other.requestDirectToken(key)
    expect(body['expires_in']).toBe(120)
    const { iat, exp } = decodeJwt(String(body['access_token']))
    expect(exp! - iat!).toBe(120)
    await other.close()
  })

  it('Access token lifetime, authorization code grant: 1 hour', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const tokens = await connect(host, await host.createApplication())
    expect(tokens.expires_in).toBe(3600)
    expect(decodeJwt(tokens.access_token).exp).toBe(Math.floor(Date.now() / 1000) + 3600)
  })

  it('Refresh token use: each refresh token is usable once; it is decommissioned when exchanged', async () => {
    const application = await host.createApplication()
    const { refresh_token } = await connect(host, application)
    const refresh = () => host.refresh(application, refresh_token)
    const answers = await Promise.all(Array.from({ length: 10 }, refresh))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const rejected = answers.filter(({ status }) => status !== 200)
    expect(rejected.map(({ status, body }) => `${status} ${String(body['error'])}`)).toEqual(
      Array.from({ length: 9 }, () => '400 invalid_grant'),
    )
  })

  it('Products per key or application: at least one is required', async () => {
    const direct = await host.requestDirectToken(await host.createApiKey([]))
    expect([direct.status, direct.body['error']]).toEqual([400, 'unauthorized_client'])
    expect(direct.body['access_token']).toBeUndefined()

    const { client_id } = await host.createApplication({ products: [] })
    const { url } = await host.browser().open(authorizationUrl(host, client_id))
    expect(url.searchParams.get('error')).toBe('unauthorized_client')
    expect(url.searchParams.get('state')).toBe('xyz')
    expect(url.searchParams.get('iss')).toBe(host.issuer)
    expect(url.searchParams.get('code')).toBeNull()
  })
})
