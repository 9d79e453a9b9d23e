// Also runs on: Redis
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import type { Store } from 'koa-gatehouse'
import { faultyStore, type FaultyStore } from '../../support/faulty-store.ts'
import { authorize, connect, startHost, type Host, type Tokens } from '../../support/host.ts'
import { pausingStore, type PausingStore } from '../../support/pausing-store.ts'
import { describeEachStore } from '../../support/stores.ts'

type Answer = Awaited<ReturnType<Host['token']>>
type Client = Awaited<ReturnType<Host['createApplication']>>

describeEachStore('reuse of a code or refresh token, with two processes', (makeStore) => {
  /** The process that gets most of the requests. */
  let host: Host
  /** Another process on the same data. */
  let other: Host
  let faulty: FaultyStore
  let pausing: PausingStore
  let inner: Store
  let client: Client
  let browser: ReturnType<Host['browser']>
  const events: string[] = []

  beforeAll(async () => {
    const data = randomUUID()
    inner = makeStore(data)
    faulty = faultyStore(inner)
    pausing = pausingStore(faulty.store)
    host = await startHost({ store: pausing.store, gatehouse: { storeTimeoutMs: 5000 } })
    const { issuer, audience } = host
    other = await startHost({ store: makeStore(data), gatehouse: { issuer, audience } })
    await Promise.all([host.gatehouse.ready(), other.gatehouse.ready()])
    for (const name of ['refresh_token.reused', 'code.reused'] as const) {
      host.gatehouse.on(name, () => events.push(name))
    }
    browser = host.browser()
  })
  afterAll(async () => {
    await host.close()
    await other.close()
  })
  beforeEach(async () => {
    client = await host.createApplication()
    events.length = 0
  })

  const start = () => connect(host, client, { browser })
  const refresh = (token: unknown, at = host) =>
    at.post(`${at.origin}/auth/oauth2/token`, {
      ...client,
      grant_type: 'refresh_token',
      refresh_token: String(token),
    })
  const refreshed = async (token: unknown) => {
    const { status, body } = await refresh(token)
    expect(status).toBe(200)
    return body as unknown as Tokens
  }
  const exchange = (code: string) => host.exchangeCode(client, code)

  async function callAt(gateway: Host, { access_token: token }: Pick<Tokens, 'access_token'>) {
    const response = await fetch(`${gateway.origin}/api/invoices/list`, {
      headers: { authorization: `Bearer ${token}` },
    })
    return { status: response.status, challenge: response.headers.get('www-authenticate') ?? '' }
  }

  /**
   * Asserts that the gateway of the first process rejects the tokens immediately, and that the gateway of the
   * other process rejects them soon.
   */
  async function expectRevoked(...tokens: readonly Pick<Tokens, 'access_token'>[]): Promise<void> {
    const [before, reachedBefore] = [host.reached.length, other.reached.length]
    for (const each of tokens) {
      const { status, challenge } = await callAt(host, each)
      expect(status).toBe(401)
      expect(challenge).toContain('error="invalid_token"')
    }
    expect(host.reached).toHaveLength(before)
    await vi.waitFor(async () => {
      const answers = await Promise.all(tokens.map((each) => callAt(other, each)))
      expect(answers.map(({ status }) => status)).toEqual(tokens.map(() => 401))
    })
    const reachedThere = other.reached.length
    for (const each of tokens) expect((await callAt(other, each)).status).toBe(401)
    expect(other.reached).toHaveLength(reachedThere)
    expect(reachedThere).toBeGreaterThanOrEqual(reachedBefore)
  }

  async function expectValid(...tokens: readonly Pick<Tokens, 'access_token'>[]): Promise<void> {
    for (const each of tokens) {
      for (const gateway of [host, other]) expect((await callAt(gateway, each)).status).toBe(200)
    }
  }

  function expectRejected(answer: Answer): void {
    expect({ status: answer.status, error: answer.body['error'] }).toEqual({
      status: 400,
      error: 'invalid_grant',
    })
    expect(answer.text).not.toContain('_token":')
  }

  function expectUnavailable(answer: Answer): void {
    expect({ status: answer.status, error: answer.body['error'] }).toEqual({
      status: 503,
      error: 'temporarily_unavailable',
    })
    expect(events).toEqual([])
  }

  it('reusing a refresh token revokes all generations of its grant, and no other grant', async () => {
    const bystander = await start()
    const first = await start()
    const second = await refreshed(first.refresh_token)
    const third = await refreshed(second.refresh_token)
    await expectValid(first, second, third, bystander)
    expectRejected(await refresh(first.refresh_token))
    await expectRevoked(first, second, third)
    expectRejected(await refresh(first.refresh_token))
    expect(events).toEqual(['refresh_token.reused'])
    expectRejected(await refresh(third.refresh_token))
    expectRejected(await refresh(third.refresh_token, other))
    await expectValid(bystander, await refreshed(bystander.refresh_token))
  })

  it('reusing a code revokes all tokens of its grant', async () => {
    const { code } = await authorize(host, client.client_id, { browser })
    const first = (await exchange(code)).body as unknown as Tokens
    const second = await refreshed(first.refresh_token)
    const bystander = await start()
    await expectValid(first, second)
    expectRejected(await exchange(code))
    await expectRevoked(first, second)
    expect(events).toEqual(['code.reused'])
    expectRejected(await refresh(second.refresh_token))
    await expectValid(bystander)
  })

  it('a refresh is rejected if its family is revoked before the refresh is stored', async () => {
    const first = await start()
    const second = await refreshed(first.refresh_token)
    const pause = pausing.pauseBefore('replace refresh-family')
    const pending = refresh(second.refresh_token)
    expect(await pause.reached).toBe(true)
    expectRejected(await refresh(first.refresh_token))
    pause.end()
    expectRejected(await pending)
    await expectRevoked(first, second)
  })

  it('when a family is revoked just after a refresh was stored, the tokens of that refresh are rejected', async () => {
    const first = await start()
    const second = await refreshed(first.refresh_token)
    const pause = pausing.pauseAfter('replace refresh-family')
    const pending = refresh(second.refresh_token)
    expect(await pause.reached).toBe(true)
    expectRejected(await refresh(first.refresh_token, other))
    pause.end()
    const { status, body } = await pending
    expect(status).toBe(200)
    await vi.waitFor(async () => expect((await callAt(host, second)).status).toBe(401))
    await expectRevoked(first, second, body as unknown as Tokens)
    expectRejected(await refresh(body['refresh_token']))
  })

  it('a refresh completes the revocation of a family whose access tokens are not revoked yet', async () => {
    const first = await start()
    const pause = pausing.pauseBefore('replace refresh-family')
    const pending = refresh(first.refresh_token)
    expect(await pause.reached).toBe(true)
    const [grantId] = first.refresh_token.split('.')
    const ended = { v: 1, generation: 0, current: '', payload: {}, ended: true }
    await inner.set(`refresh-family:${grantId}`, JSON.stringify(ended), 120)
    await expectValid(first)
    pause.end()
    expectRejected(await pending)
    await expectRevoked(first)
  })

  it('if the revocation after a reuse cannot be listed, it is made nevertheless', async () => {
    const first = await start()
    const second = await refreshed(first.refresh_token)
    faulty.arm('add changes:unfinished', 'rejected')
    expectRejected(await refresh(first.refresh_token))
    expect(events).toEqual(['refresh_token.reused'])
    await expectRevoked(first, second)
  })

  it.each(['delete grant', 'add revocations:buckets', 'add revocations:recent'])(
    'if the revocation after a reuse fails at `%s`, the request gets 503, and another process completes the revocation',
    async (call) => {
      const first = await start()
      const second = await refreshed(first.refresh_token)
      const bystander = await start()
      faulty.arm(call, 'unanswered', { thenAway: true })
      expectUnavailable(await refresh(first.refresh_token))
      expect(faulty.calls.some((each) => each.startsWith(`${call}:`))).toBe(true)
      faulty.comeBack()
      expectRejected(await refresh(second.refresh_token, other))
      if (call === 'delete grant') await expectValid(first, second)

      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 20_000 })
      const { issuer, audience } = host
      const third = await startHost({ store: inner, gatehouse: { issuer, audience } })
      try {
        await third.gatehouse.ready()
        await vi.waitFor(async () => expect((await callAt(host, second)).status).toBe(401))
        await expectRevoked(first, second)
        await expectValid(bystander)
      } finally {
        vi.useRealTimers()
        await third.close()
      }
    },
  )
})
