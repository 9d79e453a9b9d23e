import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { authorizationUrl, authorize, connect, startHost, type Host } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'

describeEachStore('standard OpenID scopes that this issuer does not offer', (makeStore) => {
  let host: Host
  let application: Awaited<ReturnType<Host['createApplication']>>
  beforeAll(async () => {
    host = await startHost({ store: makeStore() })
    application = await host.createApplication()
  })
  afterAll(() => host.close())

  const refresh = (refresh_token: string, scope: string) =>
    host.refresh(application, refresh_token, { scope })

  it('standard scopes that are not offered are ignored at authorization, and the token response names the granted scope', async () => {
    const scope = 'openid offline_access address phone invoices:read'
    const tokens = await connect(host, application, { parameters: { scope } })
    expect(tokens.scope).toBe('openid invoices:read')
  })

  it('standard scopes that are not offered are not shown on the consent page', async () => {
    const scope = 'openid offline_access address phone invoices:read'
    const { client_id } = await host.createApplication()
    const { pages } = await authorize(host, client_id, { parameters: { scope } })
    const consent = pages[1]?.body ?? ''
    expect(consent).toContain('invoices:read')
    expect(consent).not.toMatch(/offline_access|value="address"|value="phone"/)
  })

  it('standard scopes that are not offered are ignored at a refresh, and the token response names the granted scope', async () => {
    const tokens = await connect(host, application, { parameters: { scope: 'openid invoices:read' } })
    const scope = 'openid offline_access address phone invoices:read'
    const { status, body } = await refresh(tokens.refresh_token, scope)
    expect([status, body['scope']]).toEqual([200, 'openid invoices:read'])
    const narrow = await refresh(String(body['refresh_token']), 'invoices:read offline_access')
    expect([narrow.status, narrow.body['scope']]).toEqual([200, 'invoices:read'])
  })

  it('a refresh that requests only ignored scopes gets the granted scope', async () => {
    const tokens = await connect(host, application, { parameters: { scope: 'invoices:read' } })
    const { status, body } = await refresh(tokens.refresh_token, 'offline_access')
    expect([status, body['scope']]).toEqual([200, 'invoices:read'])
  })

  it('a refresh with an ignored scope and an unauthorized scope is answered with invalid_scope', async () => {
    const tokens = await connect(host, application, { parameters: { scope: 'invoices:read' } })
    const { status, body } = await refresh(tokens.refresh_token, 'offline_access payments:list')
    expect([status, body['error'], body['scope']]).toEqual([400, 'invalid_scope', 'payments:list'])
  })
})

describe('a standard OpenID scope that the host configured', () => {
  it('a standard scope that the host configured is granted like any other scope', async () => {
    const host = await startHost({ gatehouse: { claims: { address: ['address'] } } })
    const application = await host.createApplication()
    const parameters = { scope: 'openid address phone' }
    const tokens = await connect(host, application, { parameters })
    expect(tokens.scope).toBe('openid address')
    const refreshed = await host.token({
      ...application,
      grant_type: 'refresh_token',
      refresh_token: tokens.refresh_token,
      scope: 'openid address phone',
    })
    expect([refreshed.status, refreshed.body['scope']]).toEqual([200, 'openid address'])
    await host.close()
  })
})

it('an unknown scope is rejected at authorization', async () => {
  const host = await startHost()
  const { client_id } = await host.createApplication()
  const { url } = await host.browser().open(authorizationUrl(host, client_id, { scope: 'openid fax' }))
  expect(url.searchParams.get('error')).toBe('invalid_scope')
  await host.close()
})
