import { AuthorizationCode, ClientCredentials, type ModuleOptions } from 'simple-oauth2'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Client } from '../support/host-requests.ts'
import { authorize, CALLBACK, startHost, type Host } from '../support/host.ts'

describe('simple-oauth2', () => {
  let host: Host
  beforeAll(async () => {
    host = await startHost()
  })
  afterEach(() => void vi.useRealTimers())
  afterAll(() => host.close())

  function configure(
    { client_id, client_secret }: Client,
    authorizationMethod: 'header' | 'body',
  ): ModuleOptions {
    return {
      client: { id: client_id, secret: client_secret },
      auth: {
        tokenHost: host.origin,
        tokenPath: '/auth/oauth2/token',
      },
      options: { authorizationMethod },
    }
  }

  it.each(['header', 'body'] as const)(
    'simple-oauth2 gets direct access with its secret in the %s',
    async (method) => {
      const client = new ClientCredentials(configure(await host.createApiKey(), method))
      const { token } = await client.getToken({})
      expect(token).toMatchObject({
        token_type: 'Bearer',
        expires_in: 864_000,
        scope: 'invoices:read invoices:create payments:list payments:transfer',
      })
      expect((await host.call('GET /invoices/list', String(token['access_token']))).status).toBe(200)
      const narrow = await client.getToken({ scope: ['invoices:read'] })
      expect(narrow.token['scope']).toBe('invoices:read')
    },
  )

  it.each(['header', 'body'] as const)(
    'simple-oauth2 gets delegated access with its secret in the %s',
    async (method) => {
      vi.useFakeTimers({ toFake: ['Date'] })
      const application = await host.createApplication()
      const { auth, ...settings } = configure(application, method)
      const authorizePath = '/auth/oauth2/authorize'
      const client = new AuthorizationCode({ ...settings, auth: { ...auth, authorizePath } })
      const scope = ['invoices:read', 'payments:list']
      const url = new URL(client.authorizeURL({ redirect_uri: CALLBACK, scope, state: 'abc' }))
      expect(url.href).toMatch(`${host.issuer}/oauth2/authorize?`)
      const { callback, code } = await authorize(host, application.client_id, {
        parameters: Object.fromEntries(url.searchParams),
      })
      expect(callback.searchParams.get('state')).toBe('abc')

      const access = await client.getToken({ code, redirect_uri: CALLBACK })
      expect(access.token).toMatchObject({ expires_in: 3600, scope: 'invoices:read payments:list' })
      expect(access.expired()).toBe(false)
      vi.setSystemTime(Date.now() + 3_601_000)
      expect(access.expired()).toBe(true)
      expect((await host.call('GET /invoices/list', String(access.token['access_token']))).status).toBe(401)

      const refreshed = await access.refresh()
      expect(refreshed.token['refresh_token']).not.toBe(access.token['refresh_token'])
      expect((await host.call('GET /invoices/list', String(refreshed.token['access_token']))).status).toBe(
        200,
      )
      await expect(access.refresh()).rejects.toMatchObject({
        output: { statusCode: 400 },
        data: { payload: { error: 'invalid_grant' } },
      })
    },
  )

  it('simple-oauth2 gets the error code of a rejected request', async () => {
    const key = await host.createApiKey([])
    const client = new ClientCredentials(configure(key, 'header'))
    await expect(client.getToken({})).rejects.toMatchObject({
      output: { statusCode: 400 },
      data: { payload: { error: 'unauthorized_client' } },
    })
    const wrong = new ClientCredentials(configure({ ...key, client_secret: 'wrong' }, 'header'))
    await expect(wrong.getToken({})).rejects.toMatchObject({
      output: { statusCode: 401 },
      data: { payload: { error: 'invalid_client' } },
    })
  })

  it('simple-oauth2 can send its requested scope again at each refresh', async () => {
    const application = await host.createApplication()
    const client = new AuthorizationCode({
      client: { id: application.client_id, secret: application.client_secret },
      auth: {
        tokenHost: host.origin,
        tokenPath: '/auth/oauth2/token',
        authorizePath: '/auth/oauth2/authorize',
      },
    })
    const scope = ['openid', 'offline_access', 'invoices:read']
    const url = new URL(client.authorizeURL({ redirect_uri: CALLBACK, scope, state: 'abc' }))
    const { code } = await authorize(host, application.client_id, {
      parameters: Object.fromEntries(url.searchParams),
    })
    let access = await client.getToken({ code, redirect_uri: CALLBACK })
    for (let round = 0; round < 2; round += 1) {
      access = await access.refresh({ scope })
      expect(access.token).toMatchObject({ scope: 'openid invoices:read' })
    }
  })
})
