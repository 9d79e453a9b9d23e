// Also runs on: Redis
import { decodeJwt } from 'jose'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import type { Store } from 'koa-gatehouse'
import type { Lifetimes } from '../../../src/options/options.ts'
import { asksFor, authorizationUrl, authorize, connect, startHost, type Host } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'

const DAY = 86_400
/**
 * The frozen clock starts at the real time. Redis uses the real clock. If the frozen clock started earlier,
 * Redis could delete records too early.
 */
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

/** Moves the frozen clock forward. */
const advance = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000)

const exchange = (code: string) => host.exchangeCode(client, code)
const refresh = (token: unknown) => host.refresh(client, token)

describeEachStore('default lifetimes', (makeStore) => {
  it('an authorization code works after 59 seconds', async () => {
    await start({ store: makeStore() })
    const { code } = await authorize(host, client.client_id)
    advance(59)
    expect((await exchange(code)).status).toBe(200)
  })

  it('an authorization code is stored for 60 seconds, and the clock of the store decides whether it has expired', async () => {
    const inner = makeStore()
    const lifetimes: unknown[] = []
    const store: Store = {
      ...inner,
      set(key, value, ttl) {
        if (key.startsWith('code:')) lifetimes.push(ttl)
        return inner.set(key, value, ttl)
      },
    }
    await start({ store })
    const { code } = await authorize(host, client.client_id)
    expect(lifetimes).toEqual([60])
    advance(61)
    const { status, body } = await exchange(code)
    // Only a store in memory has the clock of this process, which is ahead of the clock of all other stores.
    expect([status, body['error']]).toEqual(inner.volatile ? [400, 'invalid_grant'] : [200, undefined])
  })

  it('if an authorization request expires while the host signs the user in, its sign-in page soon answers 404, and no error is reported', async () => {
    const accounts = {
      find: (id: string) => ({ id }),
      authenticate: async () => {
        advance(3600)
        return { accountId: 'alice' }
      },
    }
    await start({ store: makeStore(), gatehouse: { accounts } })
    const browser = host.browser()
    const page = await browser.open(authorizationUrl(host, client.client_id))
    const change = { identifier: 'alice', password: 'correct' }
    const { status, url } = await browser.submit(page, { action: /sign-in/, change })
    // The sign-in page still answers 200 until the store has deleted the interaction.
    expect([200, 404]).toContain(status)
    expect(url.pathname).toMatch(/\/interaction\/[\w-]+$/)
    expect(host.errors).toEqual([])
    advance(20)
    expect((await browser.open(url.href)).status).toBe(404)
  })

  it('a client that refreshes every 29 days keeps its grant', async () => {
    await start({ store: makeStore() })
    let { refresh_token: current } = await connect(host, client)
    for (let month = 1; month <= 8; month += 1) {
      advance(29 * DAY)
      const { status, body } = await refresh(current)
      expect({ month, status, expiresIn: body['expires_in'] }).toEqual({
        month,
        status: 200,
        expiresIn: 3600,
      })
      current = String(body['refresh_token'])
    }
  })

  it('a client that does not refresh for 31 days gets invalid_grant at its next refresh', async () => {
    await start({ store: makeStore() })
    const { refresh_token: first } = await connect(host, client)
    advance(29 * DAY)
    const { body: second } = await refresh(first)
    advance(31 * DAY)
    const { status, body } = await refresh(second['refresh_token'])
    expect([status, body['error']]).toEqual([400, 'invalid_grant'])
    expect(body['error_description']).toMatch(/^refresh token (is expired|not found)$/)
  })

  it('tokens from a refresh on the last day of a refresh token are valid until they expire', async () => {
    await start({ store: makeStore() })
    const parameters = { scope: 'openid invoices:read' }
    const { refresh_token: first } = await connect(host, client, { parameters })
    advance(30 * DAY - 1)
    const { body } = await refresh(first)
    advance(3599)
    const headers = { authorization: `Bearer ${String(body['access_token'])}` }
    expect((await fetch(`${host.issuer}/oauth2/userinfo`, { headers })).status).toBe(200)
    advance(30 * DAY - 3600)
    expect((await refresh(body['refresh_token'])).status).toBe(200)
  })
})

describe('configured lifetimes', () => {
  const startWith = (lifetimes: Lifetimes) => start({ store: memoryStore(), gatehouse: { lifetimes } })
  const lifetimeOf = (jwt: unknown) => {
    const { iat = 0, exp = 0 } = decodeJwt(String(jwt))
    return exp - iat
  }

  it('the lifetime directAccessToken sets how long direct tokens are valid', async () => {
    await startWith({ directAccessToken: 300 })
    const key = await host.createApiKey()
    const { body } = await host.requestDirectToken(key)
    expect([body['expires_in'], lifetimeOf(body['access_token'])]).toEqual([300, 300])
    advance(299)
    expect((await host.call('GET /invoices/list', String(body['access_token']))).status).toBe(200)
    advance(2)
    expect((await host.call('GET /invoices/list', String(body['access_token']))).status).toBe(401)
  })

  it('the lifetimes delegatedAccessToken and idToken set how long delegated access tokens and ID tokens are valid', async () => {
    await startWith({ delegatedAccessToken: 120, idToken: 240 })
    const tokens = await connect(host, client, { parameters: { scope: 'openid invoices:read' } })
    expect([tokens.expires_in, lifetimeOf(tokens.access_token)]).toEqual([120, 120])
    expect(lifetimeOf(tokens.id_token)).toBe(240)
    advance(121)
    expect((await host.call('GET /invoices/list', tokens.access_token)).status).toBe(401)
    const { body } = await refresh(tokens.refresh_token)
    expect(body['expires_in']).toBe(120)
  })

  it('the lifetime refreshToken starts again at each refresh', async () => {
    await startWith({ refreshToken: 600 })
    const { refresh_token: first } = await connect(host, client)
    advance(599)
    const { status, body } = await refresh(first)
    expect(status).toBe(200)
    advance(601)
    expect((await refresh(body['refresh_token'])).body['error']).toBe('invalid_grant')
  })

  it('the lifetime authorizationCode sets how long codes are valid', async () => {
    await startWith({ authorizationCode: 10 })
    const { code: validCode, browser } = await authorize(host, client.client_id)
    advance(9)
    expect((await exchange(validCode)).status).toBe(200)
    const { code: expiredCode } = await authorize(host, client.client_id, { browser })
    advance(11)
    expect((await exchange(expiredCode)).body['error']).toBe('invalid_grant')
  })

  it('the lifetime signIn sets how long a sign-in page is valid', async () => {
    await startWith({ signIn: 120 })
    const browser = host.browser()
    const page = await browser.open(authorizationUrl(host, client.client_id))
    advance(119)
    expect((await browser.open(page.url)).status).toBe(200)
    advance(2)
    expect((await browser.open(page.url)).status).toBe(404)
  })

  it('the lifetime session starts again at each use of the session', async () => {
    await startWith({ session: 600 })
    const { browser } = await authorize(host, client.client_id)
    advance(599)
    const url = authorizationUrl(host, client.client_id)
    expect((await browser.open(url)).url.searchParams.get('code')).toMatch(/./)
    // The earlier use of the session started the lifetime of the session again.
    advance(599)
    expect((await browser.open(url)).url.searchParams.get('code')).toMatch(/./)
    advance(601)
    expect(asksFor(await browser.open(url))).toBe('sign-in')
  })

  it('the consent page is shown again 365 days after the decision', async () => {
    await startWith({ session: 366 * DAY })
    const { browser } = await authorize(host, client.client_id)
    const url = authorizationUrl(host, client.client_id)
    advance(365 * DAY - 1)
    expect((await browser.open(url)).url.searchParams.get('code')).toMatch(/./)
    advance(2)
    expect(asksFor(await browser.open(url))).toBe('consent')
  })
})
