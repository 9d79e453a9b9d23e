import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { Browser } from '../../support/browser.ts'
import { authorizationUrl, authorize, connect, startHost, type Host } from '../../support/host.ts'
import { pausingStore, type PausingStore } from '../../support/pausing-store.ts'
import { describeEachStore } from '../../support/stores.ts'

const SCOPE = 'openid invoices:read'

/** A request in the middle of which something is revoked, and whether what it gave is dead. */
interface Attempt {
  readonly request: () => Promise<unknown>
  readonly takeBack: () => Promise<unknown>
  /** What is still alive afterwards of what the request gave. */
  readonly living: () => Promise<readonly string[]>
}

describeEachStore('in the middle of a request', (makeStore) => {
  let host: Host
  let pausing: PausingStore
  let client: { client_id: string; client_secret: string }
  let browser: Browser
  const grantIds: string[] = []
  /** Alarms that somebody used something twice. */
  const alarms: string[] = []

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
    client = await host.createApplication()
    browser = host.browser()
    host.gatehouse.on('consent.approved', ({ grantId }) => grantIds.push(grantId))
    for (const name of ['refresh_token.reused', 'code.reused'] as const) {
      host.gatehouse.on(name, ({ grantId }) => alarms.push(`${name} ${grantId}`))
    }
    // Signs in, and notes the use of the client.
    await connect(host, client, { browser, parameters: { scope: SCOPE } })
  })
  afterAll(() => host.close())
  // A request that lost the race against a withdrawal was told apart from a replay only by the answer.
  afterEach(() => expect(alarms.splice(0)).toEqual([]))

  const exchange = (code: string) => host.token({ ...client, grant_type: 'authorization_code', code })
  const refresh = (token: unknown) =>
    host.token({ ...client, grant_type: 'refresh_token', refresh_token: String(token) })
  const approve = async () => {
    const { code } = await authorize(host, client.client_id, {
      browser,
      parameters: { scope: SCOPE, prompt: 'consent' },
    })
    return { code, grantId: grantIds.at(-1) ?? '' }
  }

  /** What of an answer of the token endpoint can be used. */
  async function livingOf(answer: { status: number; body: Record<string, unknown> }): Promise<string[]> {
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

  /** Holds the request up at each of its calls to the store, before and after it is done, and revokes. */
  async function atEachCall(
    prepare: () => Promise<Attempt>,
    sides: readonly ('before' | 'after')[] = ['before', 'after'],
  ): Promise<{ calls: string[]; alive: string[] }> {
    const calls: string[] = []
    const alive: string[] = []
    for (let at = 0; ; at += 1) {
      for (const when of sides) {
        const { request, takeBack, living } = await prepare()
        const pause = when === 'before' ? pausing.pauseBefore(at) : pausing.pauseAfter(at)
        const answered = request().finally(() => pause.end())
        if (!(await pause.reached)) {
          await answered
          return { calls, alive }
        }
        const call = pausing.calls[at] ?? ''
        await takeBack()
        pause.end()
        await answered
        calls.push(call.replace(/[:].*/, ''))
        for (const what of await living()) alive.push(`${when} ${call}: ${what}`)
      }
    }
  }

  const WAYS: [string, (grantId: string) => Promise<unknown>][] = [
    ['revoke', (grantId) => host.gatehouse.grants.revoke(grantId)],
    ['revokeAll the account', () => host.gatehouse.grants.revokeAll({ accountId: 'alice' })],
    [
      'revokeAll account and application',
      () => host.gatehouse.grants.revokeAll({ accountId: 'alice', clientId: client.client_id }),
    ],
    ['revokeAll the user', () => host.gatehouse.grants.revokeAll({ accountId: 'alice', userId: 'ann' })],
    [
      'revokeAll user and application',
      () =>
        host.gatehouse.grants.revokeAll({
          accountId: 'alice',
          userId: 'ann',
          clientId: client.client_id,
        }),
    ],
  ]

  test.each(WAYS)('a code exchange gives nothing that lifecycle: %s', async (_name, takeBack) => {
    const { calls, alive } = await atEachCall(async () => {
      const { code, grantId } = await approve()
      let answer = { status: 0, body: {} }
      return {
        request: async () => void (answer = await exchange(code)),
        takeBack: () => takeBack(grantId),
        living: () => livingOf(answer),
      }
    })
    expect(alive).toEqual([])
    for (const call of ['get code', 'add grants', 'replace grant', 'create refresh-family']) {
      expect(calls).toContain(call)
    }
  })

  test.each(WAYS.slice(0, 2))('a refresh gives nothing that lifecycle: %s', async (_name, takeBack) => {
    const { calls, alive } = await atEachCall(async () => {
      const { code, grantId } = await approve()
      const { body } = await exchange(code)
      let answer = { status: 0, body: {} }
      return {
        request: async () => void (answer = await refresh(body['refresh_token'])),
        takeBack: () => takeBack(grantId),
        living: () => livingOf(answer),
      }
    }, ['after'])
    expect(alive).toEqual([])
    for (const call of ['get refresh-family', 'get grant', 'replace refresh-family']) {
      expect(calls).toContain(call)
    }
  })

  test('a refresh gives nothing that lifecycle: its client hands the refresh token back', async () => {
    const { alive } = await atEachCall(async () => {
      const { code } = await approve()
      const { body } = await exchange(code)
      const token = String(body['refresh_token'])
      let answer = { status: 0, body: {} }
      return {
        request: async () => void (answer = await refresh(token)),
        takeBack: () => host.post('/oauth2/revoke', { ...client, token }),
        living: () => livingOf(answer),
      }
    })
    expect(alive).toEqual([])
  })

  test.each(WAYS.slice(2))(
    'what is authorized silently gives nothing that lifecycle: %s',
    async (_name, takeBack) => {
      const { calls, alive } = await atEachCall(async () => {
        const { grantId } = await approve()
        let code = ''
        const url = authorizationUrl(host, client.client_id, { scope: SCOPE, prompt: 'none' })
        return {
          request: async () => void (code = (await browser.open(url)).url.searchParams.get('code') ?? ''),
          takeBack: () => takeBack(grantId),
          living: async () => (code === '' ? [] : livingOf(await exchange(code))),
        }
      }, ['after'])
      expect(alive).toEqual([])
      for (const call of ['get consent', 'create grant', 'set code']) expect(calls).toContain(call)
    },
  )

  test('an approval counts as a whole or not at all', async () => {
    const url = authorizationUrl(host, client.client_id, { scope: SCOPE, prompt: 'consent' })
    const { calls, alive } = await atEachCall(async () => {
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
        takeBack: () => host.gatehouse.grants.revokeAll({ accountId: 'alice' }),
        async living() {
          // What the person approved after it was revoked lives; what they approved before brings nothing back.
          const isDead = (await exchange(code)).status !== 200
          const silently = authorizationUrl(host, client.client_id, { scope: SCOPE, prompt: 'none' })
          const answer = (await browser.open(silently)).url.searchParams
          return isDead && answer.has('code') ? ['remembered consent'] : []
        },
      }
    }, ['after'])
    expect(alive).toEqual([])
    expect(calls).toContain('create grant')
  })
})
