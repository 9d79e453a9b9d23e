import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import type { Account, Store } from 'koa-gatehouse'
import { FAULTS, faultyStore, type Fault, type FaultyStore } from '../../support/faulty-store.ts'
import { authorizationUrl, authorize, connect, startHost, type Host } from '../../support/host.ts'

type Answer = Awaited<ReturnType<Host['token']>>
type Client = Awaited<ReturnType<Host['createApplication']>>

/**
 * Milliseconds that a store call may take in these tests. The limit is short, so that the tests wait only a
 * short time for unanswered calls.
 */
const DEADLINE_MS = 40

let host: Host
let faulty: FaultyStore
let client: Client

async function start(store: Store = memoryStore(), options: Parameters<typeof startHost>[0] = {}) {
  faulty = faultyStore(store, { lateBy: 2 * DEADLINE_MS })
  host = await startHost({
    store: faulty.store,
    ...options,
    gatehouse: {
      storeTimeoutMs: DEADLINE_MS,
      secret: 'a secret for tests, long enough to be one',
      ...options.gatehouse,
    },
  })
  await host.gatehouse.ready()
  client = await host.createApplication()
}

afterEach(() => host.close())

const refreshing = (token: unknown) => ({
  ...client,
  grant_type: 'refresh_token',
  refresh_token: String(token),
})
const exchanging = (code: string) => ({ ...client, grant_type: 'authorization_code', code })

/** Asserts that the response is a 503 that asks the client to retry and discloses no details. */
function expectUnavailable(answer: Answer): void {
  expect(answer.status).toBe(503)
  expect(answer.headers.get('retry-after')).toBe('1')
  expect(answer.headers.get('cache-control')).toBe('no-store')
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
  expect(answer.body).toEqual({
    error: 'temporarily_unavailable',
    error_description: 'not available for the moment; try again',
  })
}

/** Ends the outage, and waits until the host uses the store again. */
async function comeBack(): Promise<void> {
  faulty.comeBack()
  const unknownClient = { client_id: 'unknown', client_secret: 'nothing', grant_type: 'client_credentials' }
  await vi.waitFor(async () => expect((await host.token(unknownClient)).status).toBe(401), { timeout: 1000 })
}

/**
 * Sends a request once for each of its store calls and each kind of fault. The request must succeed, or get
 * 503 and succeed on a retry.
 *
 * @param prepare makes the body of the request, once for each fault
 * @param prove checks the successful response; its second argument names the fault
 */
async function withEveryFault(
  prepare: () => Promise<Record<string, string>>,
  prove: (answer: Answer, what: string) => Promise<void>,
): Promise<{ calls: readonly string[]; total: number; failed: number; withoutEffect: number }> {
  // The first request records the last use of the client, so it makes one more store call than later
  // requests. `calls` therefore comes from the second request.
  let calls: string[] = []
  for (const what of ['no fault', 'no fault again']) {
    const body = await prepare()
    faulty.arm()
    const answer = await host.token(body)
    calls = [...faulty.calls]
    await prove(answer, what)
  }

  let failed = 0
  // The number of faults at the call that counts grants. No response depends on the result of this call, so
  // these requests succeed despite the fault.
  let withoutEffect = 0
  let total = 0
  for (const [index, call] of calls.entries()) {
    for (const fault of faultsOf(call)) {
      total += 1
      const what = `${fault} ${call.split(':')[0]}`
      const body = await prepare()
      faulty.arm(index, fault)
      let answer = await host.token(body)
      expect(faulty.calls.length, what).toBeGreaterThan(index)
      if (faulty.calls[index]?.startsWith('range grants:')) withoutEffect += 1
      faulty.arm()
      await faulty.settled()
      if (answer.status !== 200) {
        failed += 1
        expectUnavailable(answer)
        answer = await host.token(body)
      }
      expect({ what, status: answer.status, body: answer.body['error'] }).toEqual({ what, status: 200 })
      await prove(answer, what)
    }
  }
  return { calls, total, failed, withoutEffect }
}

/** The faults that differ for a call: whether it was executed makes no difference for a read. */
const faultsOf = (call: string): readonly Fault[] =>
  /^(get|getMany|range) /.test(call) ? ['rejected', 'silent'] : FAULTS

/** The operation and the kind of record of each call, such as `get grant`. */
const kinds = (calls: readonly string[]) => calls.map((call) => call.split(':')[0])

describe('a fault at each store call', () => {
  beforeEach(() => start())

  it('a refresh with a fault at any store call succeeds, or its refresh token works on a retry', async () => {
    let current: unknown = (await connect(host, client)).refresh_token
    const { calls, total, failed } = await withEveryFault(
      async () => refreshing(current),
      async ({ status, body }, what) => {
        expect({ what, status, ...body }).toMatchObject({ what, status: 200, expires_in: 3600 })
        expect(body['refresh_token']).not.toBe(current)
        current = body['refresh_token']
      },
    )
    expect(kinds(calls)).toEqual(
      expect.arrayContaining(['get refresh-family', 'get grant', 'replace refresh-family']),
    )
    // One request succeeds despite its fault, because the store executed its write before the fault. All
    // other requests fail at first, and succeed on the retry.
    expect(failed).toBe(total - 1)
  })

  it('a code exchange with a fault at any store call succeeds, or its code works on a retry', async () => {
    const browser = host.browser()
    const { calls, total, failed, withoutEffect } = await withEveryFault(
      async () => exchanging((await authorize(host, client.client_id, { browser })).code),
      async ({ status, body }, what) => {
        expect({ what, status, ...body }).toMatchObject({ what, status: 200, expires_in: 3600 })
        const next = await host.token(refreshing(body['refresh_token']))
        expect({ what, status: next.status }).toEqual({ what, status: 200 })
      },
    )
    expect(kinds(calls)).toEqual(expect.arrayContaining(['get code', 'get grant', 'create refresh-family']))
    // One request succeeds despite its fault, because the store executed its write before the fault. Requests
    // whose fault has no effect also succeed. All other requests fail at first, and succeed on the retry.
    expect(failed).toBe(total - withoutEffect - 1)
    expect(withoutEffect).toBeGreaterThan(0)
  })

  it('a direct token request with a fault at any store call works on a retry', async () => {
    const key = await host.createApiKey()
    const { total, failed } = await withEveryFault(
      async () => ({ ...key, grant_type: 'client_credentials' }),
      async ({ status, body }, what) => {
        expect({ what, status, ...body }).toMatchObject({ what, status: 200, expires_in: 864_000 })
      },
    )
    expect(failed).toBe(total)
  })

  it('a token request succeeds even if the store fails while the last use of the client is recorded', async () => {
    const key = await host.createApiKey()
    faulty.arm()
    const body = { ...key, grant_type: 'client_credentials' }
    expect((await host.token(body)).status).toBe(200)
    const recording = faulty.calls.findIndex((call) => call.startsWith('set client-usage'))
    expect(recording).toBeGreaterThan(0)
    for (const fault of FAULTS) {
      const another = await host.createApiKey()
      faulty.arm(recording, fault)
      const { status } = await host.requestDirectToken(another)
      expect({ fault, status }).toEqual({ fault, status: 200 })
      expect(faulty.calls[recording]).toMatch(/^set client-usage/)
    }
  })

  it('an authorization with a fault at any store call succeeds, or shows an error page and succeeds when the user starts again', async () => {
    faulty.arm()
    await authorize(host, client.client_id)
    const calls = [...faulty.calls]
    expect(kinds(calls)).toEqual(
      expect.arrayContaining([
        'set session',
        'set interaction',
        'create grant',
        'create consent',
        'set code',
      ]),
    )
    for (const [index, call] of calls.entries()) {
      for (const fault of faultsOf(call).filter((each) => each === 'rejected' || each === 'unanswered')) {
        const what = `${fault} ${call.split(':')[0]}`
        await host.gatehouse.ready()
        const fresh = await host.createApplication()
        const browser = host.browser()
        faulty.arm(index, fault)
        const { code, pages } = await authorize(host, fresh.client_id, { browser })
        faulty.arm()
        if (code === '') {
          const page = pages.at(-1)
          expect({ what, status: page?.status }).toEqual({ what, status: 503 })
          expect(page?.headers.get('retry-after')).toBe('1')
          expect(page?.headers.get('cache-control')).toBe('no-store')
          expect(page?.headers.get('content-type')).toMatch(/^text\/html/)
          expect(page?.body).not.toMatch(/ECONNRESET|ERR_|\.ts:/)
        }
        const again = code === '' ? await authorize(host, fresh.client_id, { browser }) : { code }
        const { status } = await host.exchangeCode(fresh, again.code)
        expect({ what, status }).toEqual({ what, status: 200 })
      }
    }
  })
})

describe('a store that stays unavailable', () => {
  it('while the store is unavailable, every endpoint answers 503 in its own format', async () => {
    await start()
    const parameters = { scope: 'openid invoices:read' }
    const tokens = await connect(host, client, { parameters })
    const browser = host.browser()
    const signIn = await browser.open(authorizationUrl(host, client.client_id))
    const consent = await browser.submit(signIn, {
      action: /sign-in/,
      change: { identifier: 'alice', password: 'correct' },
    })
    expect(consent.body).toContain('/consent')
    const userInfo = async () => {
      const headers = { authorization: `Bearer ${tokens.access_token}` }
      const response = await fetch(`${host.issuer}/oauth2/userinfo`, { headers })
      return { status: response.status, headers: response.headers, body: await response.text() }
    }
    expect((await userInfo()).status).toBe(200)

    faulty.goAway()
    const answers = {
      'user info': await userInfo(),
      authorization: await browser.open(authorizationUrl(host, client.client_id)),
      'a new authorization': await host.browser().open(authorizationUrl(host, client.client_id)),
      'the consent page': await browser.open(consent.url),
      'the consent form': await browser.submit(consent, { action: /consent/, button: ['action', 'approve'] }),
      'sign-out': await browser.open(`${host.issuer}/oauth2/logout`),
    }
    for (const [what, { status, headers, body }] of Object.entries(answers)) {
      expect({ what, status }).toEqual({ what, status: 503 })
      expect({ what, retry: headers.get('retry-after') }).toEqual({ what, retry: '1' })
      expect({ what, cache: headers.get('cache-control') }).toEqual({ what, cache: 'no-store' })
      expect(headers.get('content-type')).toMatch(what === 'user info' ? /^application\/json/ : /^text\/html/)
      expect(body).toContain('temporarily_unavailable')
      expect(body).not.toMatch(/ECONNRESET|ERR_|\.ts:/)
    }

    await comeBack()
    expect((await userInfo()).status).toBe(200)
    const approved = await browser.submit(consent, { action: /consent/, button: ['action', 'approve'] })
    const code = approved.url.searchParams.get('code') ?? ''
    expect((await host.token(exchanging(code))).status).toBe(200)
  })

  it.each(FAULTS)(
    'if an outage begins during a refresh (%s), the refresh token is usable after the outage',
    async (fault) => {
      await start()
      const first = await connect(host, client)
      const body = refreshing(first.refresh_token)
      faulty.arm('replace refresh-family', fault, { thenAway: true })
      expectUnavailable(await host.token(body))
      expectUnavailable(await host.token(body))
      await faulty.settled()
      expectUnavailable(await host.token(body))
      await comeBack()
      await faulty.settled()
      const second = await host.token(body)
      expect(second.status).toBe(200)
      expect((await host.token(refreshing(second.body['refresh_token']))).status).toBe(200)
    },
  )

  it.each(FAULTS)(
    'if an outage begins during a code exchange (%s), the code is usable once after the outage',
    async (fault) => {
      await start()
      const body = exchanging((await authorize(host, client.client_id)).code)
      faulty.arm('create refresh-family', fault, { thenAway: true })
      expectUnavailable(await host.token(body))
      await faulty.settled()
      await comeBack()
      const answers = await Promise.all(Array.from({ length: 10 }, () => host.token(body)))
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
        200,
        ...Array<number>(9).fill(400),
      ])
    },
  )

  it('if an outage begins during parallel refreshes with one refresh token, the token is usable once after the outage', async () => {
    await start()
    const body = refreshing((await connect(host, client)).refresh_token)
    faulty.arm('replace refresh-family', 'unanswered', { thenAway: true })
    const answers = await Promise.all([1, 2, 3].map(() => host.token(body)))
    answers.forEach(expectUnavailable)
    await comeBack()
    expect((await host.token(body)).status).toBe(200)
    expect((await host.token(body)).status).toBe(400)
  })

  it('if the store executes the write of a refresh late, gatehouse rolls the write back before the client retries, so another process accepts the old refresh token', async () => {
    const store = memoryStore()
    await start(store)
    const { issuer, audience } = host
    const other = await startHost({ store, gatehouse: { issuer, audience } })
    const first = await connect(host, client)
    const second = await host.token(refreshing(first.refresh_token))
    faulty.arm('replace refresh-family', 'unanswered', { thenAway: true })
    const body = refreshing(second.body['refresh_token'])
    expectUnavailable(await host.token(body))
    faulty.arm()
    faulty.comeBack()
    // This process rolls the write back as soon as the store is available.
    await vi.waitFor(() => expect(kinds(faulty.calls)).toContain('replace refresh-family'), 5000)
    expect((await other.token(body)).status).toBe(200)
    await other.close()
  })

  it('a refresh token family that is revoked during an outage stays revoked', async () => {
    const store = memoryStore()
    await start(store)
    const { issuer, audience } = host
    const other = await startHost({ store, gatehouse: { issuer, audience } })
    const first = await connect(host, client)
    const second = await host.token(refreshing(first.refresh_token))
    faulty.arm('replace refresh-family', 'unanswered', { thenAway: true })
    const body = refreshing(second.body['refresh_token'])
    expectUnavailable(await host.token(body))
    expect((await other.token(refreshing(first.refresh_token))).status).toBe(400)
    await comeBack()
    expect((await host.token(body)).status).toBe(400)
    expect((await other.token(body)).status).toBe(400)
    await other.close()
  })
})

describe('a callback of the host that throws', () => {
  /** A map of accounts. The look-up with the number `failAt`, counted from 0, throws. */
  class Accounts extends Map<string, Account> {
    failAt = -1
    lookups = 0
    override get(accountId: string): Account | undefined {
      this.lookups += 1
      if (this.lookups - 1 === this.failAt) throw new Error('the database of the host: password=hunter2')
      return super.get(accountId)
    }
    arm(failAt = -1): void {
      this.failAt = failAt
      this.lookups = 0
    }
  }
  let accounts: Accounts

  beforeEach(async () => {
    accounts = new Accounts([
      ['alice', { id: 'alice', kycLevel: 'basic' }],
      ['acme', { id: 'acme', kycLevel: 'verified' }],
    ])
    await start(memoryStore(), { accounts })
  })

  function expectFailure(answer: Answer): void {
    expect(answer.status).toBe(500)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.body['error']).toBe('server_error')
    expect(answer.text).not.toMatch(/hunter2|database/)
  }

  it('when any look-up of the host throws during a refresh, the refresh token is not used up', async () => {
    let { refresh_token: current } = await connect(host, client)
    accounts.arm()
    current = String((await host.token(refreshing(current))).body['refresh_token'])
    const { lookups } = accounts
    expect(lookups).toBeGreaterThan(1)
    for (let failAt = 0; failAt < lookups; failAt += 1) {
      accounts.arm(failAt)
      expectFailure(await host.token(refreshing(current)))
      accounts.arm()
      const { status, body } = await host.token(refreshing(current))
      expect(status).toBe(200)
      current = String(body['refresh_token'])
    }
  })

  it('when any look-up of the host throws during a code exchange, the code is not used up', async () => {
    const browser = host.browser()
    const { code: first } = await authorize(host, client.client_id, { browser })
    accounts.arm()
    await host.token(exchanging(first))
    const { lookups } = accounts
    expect(lookups).toBeGreaterThan(1)
    for (let failAt = 0; failAt < lookups; failAt += 1) {
      accounts.arm()
      const { code } = await authorize(host, client.client_id, { browser })
      accounts.arm(failAt)
      expectFailure(await host.token(exchanging(code)))
      accounts.arm()
      expect((await host.token(exchanging(code))).status).toBe(200)
    }
  })

  it('if a look-up of the host throws, the error is reported as an event of the gatehouse and of the app', async () => {
    const reported: Error[] = []
    host.gatehouse.on('error', ({ error }) => reported.push(error))
    const { refresh_token: current } = await connect(host, client)
    accounts.arm(0)
    expectFailure(await host.token(refreshing(current)))
    expect(reported).toMatchObject([{ message: 'the database of the host: password=hunter2' }])
    expect(host.errors).toEqual(reported)
  })
})
