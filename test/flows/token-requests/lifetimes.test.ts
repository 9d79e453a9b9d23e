import { decodeJwt } from 'jose'
import { afterEach, expect, it, vi } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import type { Client } from '../../support/host-requests.ts'
import {
  asksFor,
  authorizationUrl,
  authorize,
  connect,
  startHost,
  type Host,
  type HostOptions,
} from '../../support/host.ts'

const DAY = 86_400

let host: Host
let client: Client

afterEach(async () => {
  vi.useRealTimers()
  await host.close()
})

/** Starts a host with a frozen clock, on a store in memory, which has the clock of this process. */
async function start(gatehouse: HostOptions['gatehouse'] = {}): Promise<void> {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
  host = await startHost({ store: memoryStore(), gatehouse })
  client = await host.createApplication()
}

/** Moves the frozen clock forward. */
const advance = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000)

const exchange = (code: string) => host.exchangeCode(client, code)
const refresh = (token: unknown) => host.refresh(client, token)
const call = async (token: unknown) => (await host.call('GET /invoices/list', String(token))).status

it('if an authorization request expires while the host signs the user in, its sign-in page soon answers 404, and no error is reported', async () => {
  const accounts = {
    find: (id: string) => ({ id }),
    authenticate: async () => {
      advance(3600)
      return { accountId: 'alice' }
    },
  }
  await start({ accounts })
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

it('a client that refreshes every 29 days keeps its grant, and gets invalid_grant after 31 days without a refresh', async () => {
  await start()
  let { refresh_token: current } = await connect(host, client)
  for (let month = 1; month <= 8; month += 1) {
    advance(29 * DAY)
    const { status, body } = await refresh(current)
    expect([month, status, body['expires_in']]).toEqual([month, 200, 3600])
    current = String(body['refresh_token'])
  }
  advance(31 * DAY)
  const { status, body } = await refresh(current)
  expect([status, body['error']]).toEqual([400, 'invalid_grant'])
  expect(body['error_description']).toMatch(/^refresh token (is expired|not found)$/)
})

it('tokens from a refresh on the last day of a refresh token are valid until they expire', async () => {
  await start()
  const parameters = { scope: 'openid invoices:read' }
  const { refresh_token: first } = await connect(host, client, { parameters })
  advance(30 * DAY - 1)
  const { body } = await refresh(first)
  advance(3599)
  expect((await host.userInfo(String(body['access_token']))).status).toBe(200)
  advance(30 * DAY - 3600)
  expect((await refresh(body['refresh_token'])).status).toBe(200)
})

it.each([
  [{}, 60],
  [{ authorizationCode: 10 }, 10],
])('with the lifetimes %j, a code works for %d seconds', async (lifetimes, seconds) => {
  await start({ lifetimes })
  const { code: validCode, browser } = await authorize(host, client.client_id)
  advance(seconds - 1)
  expect((await exchange(validCode)).status).toBe(200)
  const { code: expiredCode } = await authorize(host, client.client_id, { browser })
  advance(seconds + 1)
  expect((await exchange(expiredCode)).body['error']).toBe('invalid_grant')
})

it('the lifetimes of tokens set how long they are valid, and the lifetime refreshToken starts again at each refresh', async () => {
  await start({
    lifetimes: { directAccessToken: 300, delegatedAccessToken: 120, idToken: 240, refreshToken: 600 },
  })
  const lifetimeOf = (jwt: unknown) => {
    const { iat = 0, exp = 0 } = decodeJwt(String(jwt))
    return exp - iat
  }
  const { body: direct } = await host.requestDirectToken(await host.createApiKey())
  expect([direct['expires_in'], lifetimeOf(direct['access_token'])]).toEqual([300, 300])
  const tokens = await connect(host, client, { parameters: { scope: 'openid invoices:read' } })
  expect([tokens.expires_in, lifetimeOf(tokens.access_token)]).toEqual([120, 120])
  expect(lifetimeOf(tokens.id_token)).toBe(240)
  advance(119)
  expect(await call(tokens.access_token)).toBe(200)
  advance(2)
  expect(await call(tokens.access_token)).toBe(401)
  advance(178)
  expect(await call(direct['access_token'])).toBe(200)
  advance(2)
  expect(await call(direct['access_token'])).toBe(401)
  advance(298)
  const { status, body } = await refresh(tokens.refresh_token)
  expect([status, body['expires_in']]).toEqual([200, 120])
  advance(601)
  expect((await refresh(body['refresh_token'])).body['error']).toBe('invalid_grant')
})

it('the lifetime signIn sets how long a sign-in page is valid', async () => {
  await start({ lifetimes: { signIn: 120 } })
  const browser = host.browser()
  const page = await browser.open(authorizationUrl(host, client.client_id))
  advance(119)
  expect((await browser.open(page.url)).status).toBe(200)
  advance(2)
  expect((await browser.open(page.url)).status).toBe(404)
})

it('the lifetime session starts again at each use of the session', async () => {
  await start({ lifetimes: { session: 600 } })
  const { browser } = await authorize(host, client.client_id)
  const url = authorizationUrl(host, client.client_id)
  // Each use of the session starts its lifetime again.
  for (let use = 0; use < 2; use += 1) {
    advance(599)
    expect((await browser.open(url)).url.searchParams.get('code')).toMatch(/./)
  }
  advance(601)
  expect(asksFor(await browser.open(url))).toBe('sign-in')
})

it('the consent page is shown again 365 days after the decision', async () => {
  await start({ lifetimes: { session: 366 * DAY } })
  const { browser } = await authorize(host, client.client_id)
  const url = authorizationUrl(host, client.client_id)
  advance(365 * DAY - 1)
  expect((await browser.open(url)).url.searchParams.get('code')).toMatch(/./)
  advance(2)
  expect(asksFor(await browser.open(url))).toBe('consent')
})
