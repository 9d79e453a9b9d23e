import { afterAll, beforeAll, expect, it } from 'vitest'
import type { AuditEntry } from 'koa-gatehouse'
import { authorize, startHost, type Host } from '../../support/host.ts'
import type { Client } from '../../support/host-requests.ts'
import { describeEachStore } from '../../support/stores.ts'

describeEachStore('behind a proxy, with app.proxy = true', (makeStore) => {
  let host: Host
  let key: Client
  let application: Client
  const events: object[] = []
  beforeAll(async () => {
    host = await startHost({ store: makeStore() })
    host.app.proxy = true
    host.gatehouse.on('client_authentication.failed', (event) => events.push(event))
    key = await host.createApiKey()
    application = await host.createApplication()
  })
  afterAll(() => host.close())

  let last = 0
  /** Sends a form as the proxy forwards it from a new address. */
  async function sendFrom(path: string, form: Record<string, string>) {
    last += 1
    const address = `203.0.113.${last}`
    const { status } = await host.post(path, form, { 'X-Forwarded-For': address, 'User-Agent': 'sdk/1' })
    return { status, address }
  }

  async function newest(trail?: 'failures'): Promise<AuditEntry | undefined> {
    return (await host.gatehouse.audit.list({ trail, limit: 1 })).items[0]
  }

  async function tokens() {
    const { code } = await authorize(host, application.client_id)
    const { body } = await host.exchangeCode(application, code)
    return { code, refreshToken: String(body['refresh_token']), accessToken: String(body['access_token']) }
  }

  it.each(['token', 'introspect', 'revoke'])(
    'the entry and the event of a wrong secret at /oauth2/%s have the address of the caller',
    async (endpoint) => {
      const form = { ...key, client_secret: 'wrong', token: 'x', grant_type: 'client_credentials' }
      const { status, address } = await sendFrom(`/oauth2/${endpoint}`, form)
      expect(status).toBe(401)
      const requester = { clientId: key.client_id, address, userAgent: 'sdk/1' }
      expect(await newest('failures')).toMatchObject({ name: 'client_authentication.failed', ...requester })
      expect(events.at(-1)).toEqual(requester)
    },
  )

  it('the entry of an access token that its API key revokes has the address of the caller, and the account', async () => {
    const { body } = await host.requestDirectToken(key)
    const form = { ...key, token: String(body['access_token']) }
    const { address } = await sendFrom('/oauth2/revoke', form)
    const entry = await newest()
    expect(entry).toMatchObject({
      name: 'token.revoked',
      reason: 'client-revoked-token',
      clientId: key.client_id,
      accountId: 'acme',
      address,
    })
    const { items } = await host.gatehouse.audit.list({ accountId: 'acme', limit: 1 })
    expect(items).toEqual([entry])
  })

  it('the entry of an access token that its application revokes has the address of the caller, and the person', async () => {
    const { accessToken } = await tokens()
    const { address } = await sendFrom('/oauth2/revoke', { ...application, token: accessToken })
    expect(await newest()).toMatchObject({ name: 'token.revoked', accountId: 'alice', address })
  })

  it('the entry of a refresh token that its application revokes has the address of the caller', async () => {
    const { refreshToken } = await tokens()
    const { address } = await sendFrom('/oauth2/revoke', { ...application, token: refreshToken })
    expect(await newest()).toMatchObject({ name: 'grant.revoked', accountId: 'alice', address })
  })

  it('the entry of a code that is used twice has the address of the caller', async () => {
    const { code } = await tokens()
    const { status, address } = await sendFrom('/oauth2/token', {
      ...application,
      grant_type: 'authorization_code',
      code,
    })
    expect(status).toBe(400)
    expect(await newest()).toMatchObject({ name: 'code.reused', address })
  })

  it('the entry of a refresh token that is used twice has the address of the caller', async () => {
    const { refreshToken } = await tokens()
    const { body } = await host.refresh(application, refreshToken)
    await host.refresh(application, body['refresh_token'])
    const form = { ...application, grant_type: 'refresh_token', refresh_token: refreshToken }
    const { status, address } = await sendFrom('/oauth2/token', form)
    expect(status).toBe(400)
    expect(await newest()).toMatchObject({ name: 'refresh_token.reused', address })
  })
})
