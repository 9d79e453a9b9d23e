import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Browser } from '../../support/browser.ts'
import { authorizationUrl, authorize, connect, startHost, type Host } from '../../support/host.ts'
import { pausingStore, type PausingStore } from '../../support/pausing-store.ts'
import { describeEachStore } from '../../support/stores.ts'

const SCOPE = 'openid invoices:read'

/** A request during which a grant is revoked, and a check of the tokens that the request got. */
interface Attempt {
  readonly request: () => Promise<unknown>
  readonly revoke: () => Promise<unknown>
  /** Finds the tokens of the request that are still valid after the revocation. The list must be empty. */
  readonly findValid: () => Promise<readonly string[]>
}

describeEachStore('revoking a grant during a request', (makeStore) => {
  let host: Host
  let pausing: PausingStore
  let client: { client_id: string; client_secret: string }
  let browser: Browser
  const grantIds: string[] = []
  /** Events that report the reuse of a code or of a refresh token. */
  const reuses: string[] = []

  beforeAll(async () => {
    pausing = pausingStore(makeStore())
    host = await startHost({
      store: pausing.store,
      gatehouse: {
        storeTimeoutMs: 10_000,
        accounts: {
          find: (accountId) => ({ id: accountId, kycLevel: 'verified' }),
          authenticate: ({ identifier }) => ({ accountId: identifier, userId: 'ann' }),
        },
      },
    })
    host.gatehouse.on('consent.approved', ({ grantId }) => grantIds.push(grantId))
    for (const name of ['refresh_token.reused', 'code.reused'] as const) {
      host.gatehouse.on(name, ({ grantId }) => reuses.push(`${name} ${grantId}`))
    }
  })
  // Each test has an application of its own, because a user can start 60 grants an hour for one application.
  beforeEach(async () => {
    client = await host.createApplication()
    browser = host.browser()
    // Signs the user in. At this first use of the client, gatehouse stores the time of the use. Later
    // requests do not store it again, so they all make the same store calls.
    await connect(host, client, { browser, parameters: { scope: SCOPE } })
  })
  afterAll(() => host.close())
  // A request that loses the race against a revocation must not be reported as a reuse.
  afterEach(() => expect(reuses.splice(0)).toEqual([]))

  const exchange = (code: string) => host.exchangeCode(client, code)
  const refresh = (token: unknown) => host.refresh(client, token)
  const approve = async () => {
    const { code } = await authorize(host, client.client_id, {
      browser,
      parameters: { scope: SCOPE, prompt: 'consent' },
    })
    return { code, grantId: grantIds.at(-1) ?? '' }
  }

  /** The tokens of a token response that are still valid. */
  async function validTokensOf(answer: { status: number; body: Record<string, unknown> }): Promise<string[]> {
    if (answer.status !== 200) {
      expect({ status: answer.status, error: answer.body['error'] }).toEqual({
        status: 400,
        error: 'invalid_grant',
      })
      return []
    }
    const { access_token: token, refresh_token: refreshToken } = answer.body
    const call = await host.call('GET /invoices/list', String(token))
    const refreshed = await refresh(refreshToken)
    if (refreshed.status !== 200) expect(refreshed.body['error']).toBe('invalid_grant')
    return [
      ...(call.status === 401 ? [] : [`access token (${call.status})`]),
      ...(refreshed.status === 400 ? [] : [`refresh token (${refreshed.status})`]),
    ]
  }

  /**
   * Repeats a request once for each of its store calls. Each time, the answer of a different call is delayed,
   * and the grant is revoked during the delay. A call is known by its name and by how often the name came
   * before, because the number of a call changes when gatehouse polls the store.
   */
  async function afterEachCall(prepare: () => Promise<Attempt>, expectedCalls: readonly string[]) {
    const calls: string[] = []
    const stillValid: string[] = []
    const paused = new Set<string>()
    for (;;) {
      const { request, revoke, findValid } = await prepare()
      const made: string[] = []
      const pause = pausing.pauseAfter((each) => {
        const call = each.replace(/:.*/, '')
        made.push(call)
        const numbered = `${call} ${made.filter((other) => other === call).length}`
        return !paused.has(numbered) && paused.add(numbered).size > 0
      })
      const answered = request().finally(() => pause.end())
      if (!(await pause.reached)) {
        await answered
        break
      }
      const call = made.at(-1) ?? ''
      await revoke()
      pause.end()
      await answered
      calls.push(call)
      for (const token of await findValid()) stillValid.push(`${call}: ${token}`)
    }
    expect(stillValid).toEqual([])
    for (const call of expectedCalls) expect(calls).toContain(call)
  }

  const revokeOne = (grantId: string) => host.gatehouse.grants.revoke(grantId)
  const revokeAll = (more: object = {}) => host.gatehouse.grants.revokeAll({ accountId: 'alice', ...more })

  it.each<[string, (grantId: string) => Promise<unknown>]>([
    ['revoke one grant', revokeOne],
    ['revoke all grants of the account', () => revokeAll()],
  ])('a code exchange during a revocation gives no valid token (%s)', async (_name, revoke) => {
    const expected = ['get code', 'add grants', 'replace grant', 'create refresh-family']
    await afterEachCall(async () => {
      const { code, grantId } = await approve()
      let answer = { status: 0, body: {} }
      return {
        request: async () => void (answer = await exchange(code)),
        revoke: () => revoke(grantId),
        findValid: () => validTokensOf(answer),
      }
    }, expected)
  })

  it.each<[string, (grantId: string, token: string) => Promise<unknown>]>([
    ['the revocation of its grant', revokeOne],
    [
      'the revocation of its refresh token',
      (_grantId, token) => host.post('/oauth2/revoke', { ...client, token }),
    ],
  ])('a refresh during %s gives no valid token', async (_name, revoke) => {
    const expected = ['get refresh-family', 'get grant', 'replace refresh-family']
    await afterEachCall(async () => {
      const { code, grantId } = await approve()
      const { body } = await exchange(code)
      const token = String(body['refresh_token'])
      let answer = { status: 0, body: {} }
      return {
        request: async () => void (answer = await refresh(token)),
        revoke: () => revoke(grantId, token),
        findValid: () => validTokensOf(answer),
      }
    }, expected)
  })

  it('a silent authorization during a revocation of the grants of the user for the application gives no valid token', async () => {
    await afterEachCall(async () => {
      await approve()
      let code = ''
      const url = authorizationUrl(host, client.client_id, { scope: SCOPE, prompt: 'none' })
      return {
        request: async () => void (code = (await browser.open(url)).url.searchParams.get('code') ?? ''),
        revoke: () => revokeAll({ userId: 'ann', clientId: client.client_id }),
        findValid: async () => (code === '' ? [] : validTokensOf(await exchange(code))),
      }
    }, ['get consent', 'create grant', 'set code'])
  })

  it('an approval during a revocation takes effect completely or has no effect', async () => {
    const url = authorizationUrl(host, client.client_id, { scope: SCOPE, prompt: 'consent' })
    await afterEachCall(async () => {
      const page = await browser.open(url)
      let code = ''
      return {
        async request() {
          const answer = await browser.submit(page, {
            action: /consent/,
            change: { scope: SCOPE.split(' ') },
            button: ['action', 'approve'],
          })
          code = answer.url.searchParams.get('code') ?? ''
        },
        revoke: () => revokeAll(),
        async findValid() {
          // An approval after the revocation is valid. If the revocation came after the approval, it must
          // also revoke the consent.
          const isRevoked = (await exchange(code)).status !== 200
          const silently = authorizationUrl(host, client.client_id, { scope: SCOPE, prompt: 'none' })
          const answer = (await browser.open(silently)).url.searchParams
          return isRevoked && answer.has('code') ? ['remembered consent'] : []
        },
      }
    }, ['create grant'])
  })
})
