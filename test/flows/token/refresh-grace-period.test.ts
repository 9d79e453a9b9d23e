// Also runs on: Redis
import { setTimeout as delay } from 'node:timers/promises'
import { decodeJwt } from 'jose'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { authorize, connect, startHost, type Host } from '../../support/host.ts'
import { describeEachStore, watchWrites } from '../../support/stores.ts'

type Answer = Awaited<ReturnType<Host['token']>>
type Client = Awaited<ReturnType<Host['createApplication']>>

const GRACE_SECONDS = 10

describeEachStore('the grace period of refresh tokens (refreshTokenGraceSeconds)', (makeStore) => {
  let host: Host
  let writes: string[]
  let client: Client
  /** The browser in which alice is signed in. */
  let browser: ReturnType<Host['browser']>
  const recorded: { name: string; event: unknown }[] = []

  beforeAll(async () => {
    const watched = watchWrites(makeStore())
    writes = watched.writes
    host = await startHost({ store: watched.store, gatehouse: { refreshTokenGraceSeconds: GRACE_SECONDS } })
    for (const name of ['refresh_token.retried', 'refresh_token.reused'] as const) {
      host.gatehouse.on(name, (event) => recorded.push({ name, event }))
    }
    browser = host.browser()
  })
  afterAll(() => host.close())
  beforeEach(async () => {
    client = await host.createApplication()
    recorded.length = 0
  })
  afterEach(() => void vi.useRealTimers())

  const start = (options: Parameters<typeof connect>[2] = {}) =>
    connect(host, client, { browser, ...options })
  const refresh = (token: unknown, { by = client, ...more }: { by?: Client; [name: string]: unknown } = {}) =>
    host.token({ ...by, grant_type: 'refresh_token', refresh_token: String(token), ...more })
  const events = () => recorded.map(({ name }) => name)

  async function requireRefreshed(token: unknown, more = {}) {
    const { status, body } = await refresh(token, more)
    expect({ status, error: body['error'] }).toEqual({ status: 200 })
    return body as { access_token: string; refresh_token: string; scope: string; expires_in: number }
  }

  function expectRejected(answer: Answer, error = 'invalid_grant'): void {
    expect({ status: answer.status, error: answer.body['error'] }).toEqual({ status: 400, error })
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.text).not.toContain('_token":')
  }

  /** Asserts that a refresh token is treated as stolen, and that its grant is revoked. */
  async function expectReuse(token: unknown, valid: { access_token: string; refresh_token: string }) {
    expectRejected(await refresh(token))
    expect(events().at(-1)).toBe('refresh_token.reused')
    expect((await host.call('GET /invoices/list', valid.access_token)).status).toBe(401)
    expectRejected(await refresh(valid.refresh_token))
  }

  function freeze(): number {
    const now = Date.now()
    vi.useFakeTimers({ toFake: ['Date'], now })
    return now
  }

  it('50 parallel refreshes with one refresh token succeed with the same next refresh token, and this token works', async () => {
    const first = await start()
    const answers = await Promise.all(Array.from({ length: 50 }, () => requireRefreshed(first.refresh_token)))
    const [next] = new Set(answers.map(({ refresh_token: token }) => token))
    expect(new Set(answers.map(({ refresh_token: token }) => token))).toEqual(new Set([next]))
    expect(next).not.toBe(first.refresh_token)
    expect(new Set(answers.map((answer) => decodeJwt(answer.access_token).jti)).size).toBe(50)
    expect(events()).toEqual(Array<string>(49).fill('refresh_token.retried'))
    const calls = await Promise.all(
      answers.map((answer) => host.call('GET /invoices/list', answer.access_token)),
    )
    expect(new Set(calls.map(({ status }) => status))).toEqual(new Set([200]))
    await requireRefreshed(next)
  })

  it('a retry returns the same next refresh token and another access token, and emits refresh_token.retried', async () => {
    const first = await start({ parameters: { scope: 'openid invoices:read' } })
    const lost = await requireRefreshed(first.refresh_token)
    const again = await requireRefreshed(first.refresh_token)
    expect(again).toEqual({
      ...lost,
      access_token: expect.any(String),
      id_token: expect.any(String),
    })
    expect(decodeJwt(again.access_token).jti).not.toBe(decodeJwt(lost.access_token).jti)
    const grantId = decodeJwt(again.access_token)['grant_id']
    expect(recorded).toEqual([
      { name: 'refresh_token.retried', event: { clientId: client.client_id, accountId: 'alice', grantId } },
    ])
    await requireRefreshed(again.refresh_token)
  })

  it('a retry makes one write, which confirms that the next refresh token is stored durably', async () => {
    const first = await start()
    await requireRefreshed(first.refresh_token)
    for (let attempt = 0; attempt < 2; attempt += 1) {
      writes.length = 0
      await requireRefreshed(first.refresh_token)
      expect(writes.map((write) => write.split(':')[0])).toEqual(['replace refresh-family'])
    }
  })

  it('without a grace period, the second use of a refresh token immediately counts as a reuse and is rejected', async () => {
    const defaultHost = await startHost({ store: makeStore() })
    try {
      const defaultClient = await defaultHost.createApplication()
      const { refresh_token } = await connect(defaultHost, defaultClient)
      const body = { ...defaultClient, grant_type: 'refresh_token', refresh_token }
      expect((await defaultHost.token(body)).status).toBe(200)
      expectRejected(await defaultHost.token(body))
    } finally {
      await defaultHost.close()
    }
  })

  it.each([
    ['within the grace period', false],
    ['right after the grace period', true],
  ])('a retry %s (is it a reuse: %s)', async (_when, isReuse) => {
    const ofOneSecond = await startHost({ store: makeStore(), gatehouse: { refreshTokenGraceSeconds: 1 } })
    const reused = vi.fn()
    ofOneSecond.gatehouse.on('refresh_token.reused', reused)
    try {
      const own = await ofOneSecond.createApplication()
      const { refresh_token: first } = await connect(ofOneSecond, own)
      const refreshAt = (token: unknown) =>
        ofOneSecond.token({ ...own, grant_type: 'refresh_token', refresh_token: String(token) })
      const { body: next } = await refreshAt(first)
      // The clock of a store cannot be set.
      await delay(isReuse ? 1100 : 0)
      const again = await refreshAt(first)
      if (isReuse) expectRejected(again)
      else expect(again.body['refresh_token']).toBe(next['refresh_token'])
      expect(reused).toHaveBeenCalledTimes(isReuse ? 1 : 0)
      expect((await refreshAt(next['refresh_token'])).status).toBe(isReuse ? 400 : 200)
    } finally {
      await ofOneSecond.close()
    }
  })

  it('after the next refresh token was used, another use of the previous refresh token is a reuse', async () => {
    const first = await start()
    const second = await requireRefreshed(first.refresh_token)
    await requireRefreshed(first.refresh_token)
    const third = await requireRefreshed(second.refresh_token)
    await expectReuse(first.refresh_token, third)
    // The reuse has revoked the whole family. So the second refresh token is rejected, although it is within
    // its grace period.
    expectRejected(await refresh(second.refresh_token))
  })

  it('a retry by another client is rejected, and revokes nothing', async () => {
    const otherClient = await host.createApplication({ name: 'Stranger' })
    const first = await start()
    const next = await requireRefreshed(first.refresh_token)
    expectRejected(await refresh(first.refresh_token, { by: otherClient }))
    expect(recorded).toEqual([])
    expect((await requireRefreshed(first.refresh_token)).refresh_token).toBe(next.refresh_token)
  })

  it('the `scope` and `resource` of a retry are checked as at any refresh', async () => {
    const first = await start({ untick: ['payments:list'] })
    const next = await requireRefreshed(first.refresh_token)
    const narrow = await requireRefreshed(first.refresh_token, { scope: 'invoices:read' })
    expect(narrow).toMatchObject({ scope: 'invoices:read', refresh_token: next.refresh_token })
    expect((await host.call('POST /invoices/create', narrow.access_token)).status).toBe(403)
    expectRejected(await refresh(first.refresh_token, { scope: 'payments:list' }), 'invalid_scope')
    expectRejected(
      await refresh(first.refresh_token, { resource: 'https://other.example' }),
      'invalid_target',
    )
    expect(await requireRefreshed(first.refresh_token)).toMatchObject({ scope: next.scope })
    expect(await requireRefreshed(next.refresh_token)).toMatchObject({ scope: next.scope })
    expect(new Set(events())).toEqual(new Set(['refresh_token.retried']))
  })

  it('a retry gets the current scopes of the application, or unauthorized_client if the application has lost its products', async () => {
    const first = await start()
    const next = await requireRefreshed(first.refresh_token)
    expect(next.scope).toContain('payments:list')
    await host.gatehouse.applications.removeProduct(client.client_id, 'payments')
    expect((await requireRefreshed(first.refresh_token)).scope).toBe('invoices:read invoices:create')
    await host.gatehouse.applications.removeProduct(client.client_id, 'invoices')
    expectRejected(await refresh(first.refresh_token), 'unauthorized_client')
    await host.gatehouse.applications.addProduct(client.client_id, 'invoices')
    expect((await requireRefreshed(first.refresh_token)).refresh_token).toBe(next.refresh_token)
  })

  it('a retry does not extend the lifetime of the next refresh token', async () => {
    const lifetime = 30 * 86_400
    const first = await start()
    const now = freeze()
    const next = await requireRefreshed(first.refresh_token)
    const again = await requireRefreshed(first.refresh_token)
    expect(decodeJwt(again.access_token).exp).toBe(Math.floor(Date.now() / 1000) + 3600)
    vi.setSystemTime(now + lifetime * 1000)
    expectRejected(await refresh(next.refresh_token))
  })

  it('during the grace period, introspection answers inactive for the old refresh token and active for the next refresh token', async () => {
    const first = await start()
    const next = await requireRefreshed(first.refresh_token)
    const isActive = async (token: string) =>
      (await host.post('/oauth2/introspect', { ...client, token })).body['active']
    expect(await isActive(first.refresh_token)).toBe(false)
    expect(await isActive(next.refresh_token)).toBe(true)
    expect((await requireRefreshed(first.refresh_token)).refresh_token).toBe(next.refresh_token)
  })

  it('a retry is rejected once the client has revoked the tokens', async () => {
    const first = await start()
    const next = await requireRefreshed(first.refresh_token)
    expect((await host.post('/oauth2/revoke', { ...client, token: first.refresh_token })).status).toBe(200)
    expectRejected(await refresh(first.refresh_token))
    expectRejected(await refresh(next.refresh_token))
    expect(events()).toEqual([])
  })

  it('a code has no grace period, so the second use of a code revokes its tokens', async () => {
    const { code } = await authorize(host, client.client_id, { browser })
    const exchange = () => host.exchangeCode(client, code)
    const { body } = await exchange()
    expectRejected(await exchange())
    expectRejected(await refresh(body['refresh_token']))
    expect((await host.call('GET /invoices/list', String(body['access_token']))).status).toBe(401)
  })
})
