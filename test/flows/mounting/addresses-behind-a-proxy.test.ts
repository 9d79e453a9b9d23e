import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AuditEntry } from 'koa-gatehouse'
import { authorize, startHost, type Host } from '../../support/host.ts'
import type { Client } from '../../support/host-requests.ts'

describe('behind a proxy, with app.proxy = true', () => {
  let host: Host
  let key: Client
  let application: Client
  const events: object[] = []
  beforeAll(async () => {
    host = await startHost()
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

  it('the entry and the event of a wrong secret have the address of the caller, at each endpoint', async () => {
    const form = { ...key, client_secret: 'wrong', token: 'x', grant_type: 'client_credentials' }
    for (const endpoint of ['token', 'introspect', 'revoke']) {
      const { status, address } = await sendFrom(`/oauth2/${endpoint}`, form)
      expect([endpoint, status]).toEqual([endpoint, 401])
      const requester = { clientId: key.client_id, address, userAgent: 'sdk/1' }
      expect(await newest('failures')).toMatchObject({ name: 'client_authentication.failed', ...requester })
      expect(events.at(-1)).toEqual(requester)
    }
  })

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

  it('the entry of a token that its application revokes has the address of the caller, and the person', async () => {
    const { accessToken, refreshToken } = await tokens()
    for (const [token, name] of [
      [accessToken, 'token.revoked'],
      [refreshToken, 'grant.revoked'],
    ] as const) {
      const { address } = await sendFrom('/oauth2/revoke', { ...application, token })
      expect(await newest()).toMatchObject({ name, accountId: 'alice', address })
    }
  })

  it('the entry of a code or a refresh token that is used twice has the address of the caller', async () => {
    const { code, refreshToken } = await tokens()
    const again = { ...application, grant_type: 'authorization_code', code }
    const { status, address } = await sendFrom('/oauth2/token', again)
    expect(status).toBe(400)
    expect(await newest()).toMatchObject({ name: 'code.reused', address })

    const { refreshToken: first } = await tokens()
    const { body } = await host.refresh(application, first)
    await host.refresh(application, body['refresh_token'])
    const form = { ...application, grant_type: 'refresh_token', refresh_token: first }
    const reused = await sendFrom('/oauth2/token', form)
    expect(reused.status).toBe(400)
    expect(await newest()).toMatchObject({ name: 'refresh_token.reused', address: reused.address })
    expect(refreshToken).not.toBe(first)
  })
})
