import { decodeJwt } from 'jose'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import type { Lifetimes } from '../../../src/options/options.ts'
import { asksFor, authorizationUrl, authorize, connect, startHost, type Host } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'

const DAY = 86_400
/** When the tests begin: records in Redis, whose clock goes on as usual, must not end before ours does. */
const NOW = Date.now()

let host: Host
let client: { client_id: string; client_secret: string }

afterEach(async () => {
  vi.useRealTimers()
  await host.close()
})

async function start(options: Parameters<typeof startHost>[0]): Promise<void> {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW })
  host = await startHost(options)
  client = await host.createApplication()
}

/** Sets the clock forward; nobody waits. */
const pass = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000)

const exchange = (code: string) => host.token({ ...client, grant_type: 'authorization_code', code })
const refresh = (token: unknown) =>
  host.token({ ...client, grant_type: 'refresh_token', refresh_token: String(token) })

describeEachStore('by default', (makeStore) => {
  test('an authorization code works after 59 seconds', async () => {
    await start({ store: makeStore() })
    const { code } = await authorize(host, client.client_id)
    pass(59)
    expect((await exchange(code)).status).toBe(200)
  })

  test('an authorization code is invalid_grant after 61 seconds', async () => {
    await start({ store: makeStore() })
    const { code } = await authorize(host, client.client_id)
    pass(61)
    const { status, body } = await exchange(code)
    expect([status, body['error']]).toEqual([400, 'invalid_grant'])
    expect(body['error_description']).toMatch(/^authorization code (is expired|not found)$/)
  })

  test('an authorization request that ends while the host signs somebody in is over, and the store is well', async () => {
    const accounts = {
      find: (id: string) => ({ id }),
      authenticate: async () => {
        pass(3600)
        return { accountId: 'alice' }
      },
    }
    await start({ store: makeStore(), gatehouse: { accounts } })
    const browser = host.browser()
    const page = await browser.open(authorizationUrl(host, client.client_id))
    const change = { identifier: 'alice', password: 'correct' }
    const { status, url } = await browser.submit(page, { action: /sign-in/, change })
    // The page of the request, as long as the database has that; it goes no further.
    expect([200, 404]).toContain(status)
    expect(url.pathname).toMatch(/\/interaction\/[\w-]+$/)
    expect(host.errors).toEqual([])
    pass(20)
    expect((await browser.open(url.href)).status).toBe(404)
  })

  test('who refreshes once in 29 days goes on for ever', async () => {
    await start({ store: makeStore() })
    let { refresh_token: current } = await connect(host, client)
    for (let month = 1; month <= 8; month += 1) {
      pass(29 * DAY)
      const { status, body } = await refresh(current)
      expect({ month, status, expiresIn: body['expires_in'] }).toEqual({
        month,
        status: 200,
        expiresIn: 3600,
      })
      current = String(body['refresh_token'])
    }
  })

  test('who does not for 31 days has to be authorized again', async () => {
    await start({ store: makeStore() })
    const { refresh_token: first } = await connect(host, client)
    pass(29 * DAY)
    const { body: second } = await refresh(first)
    pass(31 * DAY)
    const { status, body } = await refresh(second['refresh_token'])
    expect([status, body['error']]).toEqual([400, 'invalid_grant'])
    expect(body['error_description']).toMatch(/^refresh token (is expired|not found)$/)
  })

  test('a grant outlives its refresh token: what was refreshed on the last day works to the end', async () => {
    await start({ store: makeStore() })
    const parameters = { scope: 'openid invoices:read' }
    const { refresh_token: first } = await connect(host, client, { parameters })
    pass(30 * DAY - 1)
    const { body } = await refresh(first)
    pass(3599)
    const headers = { authorization: `Bearer ${String(body['access_token'])}` }
    expect((await fetch(`${host.issuer}/oauth2/userinfo`, { headers })).status).toBe(200)
    pass(30 * DAY - 3600)
    expect((await refresh(body['refresh_token'])).status).toBe(200)
  })
})

describe('each lifetime is an option', () => {
  const startWith = (lifetimes: Lifetimes) => start({ store: memoryStore(), gatehouse: { lifetimes } })
  const lifetimeOf = (jwt: unknown) => {
    const { iat = 0, exp = 0 } = decodeJwt(String(jwt))
    return exp - iat
  }

  test('directAccessToken', async () => {
    await startWith({ directAccessToken: 300 })
    const key = await host.createApiKey()
    const { body } = await host.token({ ...key, grant_type: 'client_credentials' })
    expect([body['expires_in'], lifetimeOf(body['access_token'])]).toEqual([300, 300])
    pass(299)
    expect((await host.call('GET /invoices/list', String(body['access_token']))).status).toBe(200)
    pass(2)
    expect((await host.call('GET /invoices/list', String(body['access_token']))).status).toBe(401)
  })

  test('delegatedAccessToken and idToken', async () => {
    await startWith({ delegatedAccessToken: 120, idToken: 240 })
    const tokens = await connect(host, client, { parameters: { scope: 'openid invoices:read' } })
    expect([tokens.expires_in, lifetimeOf(tokens.access_token)]).toEqual([120, 120])
    expect(lifetimeOf(tokens.id_token)).toBe(240)
    pass(121)
    expect((await host.call('GET /invoices/list', tokens.access_token)).status).toBe(401)
    const { body } = await refresh(tokens.refresh_token)
    expect(body['expires_in']).toBe(120)
  })

  test('refreshToken, counted from its last use', async () => {
    await startWith({ refreshToken: 600 })
    const { refresh_token: first } = await connect(host, client)
    pass(599)
    const { status, body } = await refresh(first)
    expect(status).toBe(200)
    pass(601)
    expect((await refresh(body['refresh_token'])).body['error']).toBe('invalid_grant')
  })

  test('authorizationCode', async () => {
    await startWith({ authorizationCode: 10 })
    const { code: inTime, browser } = await authorize(host, client.client_id)
    pass(9)
    expect((await exchange(inTime)).status).toBe(200)
    const { code: late } = await authorize(host, client.client_id, { browser })
    pass(11)
    expect((await exchange(late)).body['error']).toBe('invalid_grant')
  })

  test('interaction', async () => {
    await startWith({ interaction: 120 })
    const browser = host.browser()
    const page = await browser.open(authorizationUrl(host, client.client_id))
    pass(119)
    expect((await browser.open(page.url)).status).toBe(200)
    pass(2)
    expect((await browser.open(page.url)).status).toBe(404)
  })

  test('session', async () => {
    await startWith({ session: 600, interaction: 60 })
    const { browser } = await authorize(host, client.client_id)
    pass(599)
    const url = authorizationUrl(host, client.client_id)
    expect((await browser.open(url)).url.searchParams.get('code')).toMatch(/./)
    // It begins anew with each use.
    pass(599)
    expect((await browser.open(url)).url.searchParams.get('code')).toMatch(/./)
    pass(601)
    expect(asksFor(await browser.open(url))).toBe('sign-in')
  })

  test('storedConsent', async () => {
    await startWith({ storedConsent: 600 })
    const { browser } = await authorize(host, client.client_id)
    const url = authorizationUrl(host, client.client_id)
    pass(599)
    expect((await browser.open(url)).url.searchParams.get('code')).toMatch(/./)
    pass(2)
    expect(asksFor(await browser.open(url))).toBe('consent')
  })
})
