import { decodeJwt } from 'jose'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { authorize, connect, startHost, type Host } from '../../support/host.ts'
import { describeEachStore, watchWrites } from '../../support/stores.ts'

type Answer = Awaited<ReturnType<Host['token']>>
type Client = Awaited<ReturnType<Host['createApplication']>>

const SECONDS = 10

describeEachStore(
  'a refresh whose answer was lost may be sent again (refreshTokenGraceSeconds)',
  (makeStore) => {
    let host: Host
    let writes: string[]
    let client: Client
    /** Of alice, who is signed in. */
    let browser: ReturnType<Host['browser']>
    const heard: { name: string; event: unknown }[] = []

    beforeAll(async () => {
      const watched = watchWrites(makeStore())
      writes = watched.writes
      host = await startHost({ store: watched.store, gatehouse: { refreshTokenGraceSeconds: SECONDS } })
      for (const name of ['refresh_token.retried', 'refresh_token.reused'] as const) {
        host.gatehouse.on(name, (event) => heard.push({ name, event }))
      }
      browser = host.browser()
    })
    afterAll(() => host.close())
    beforeEach(async () => {
      client = await host.createApplication()
      heard.length = 0
    })
    afterEach(() => void vi.useRealTimers())

    const begin = (options: Parameters<typeof connect>[2] = {}) =>
      connect(host, client, { browser, ...options })
    const refresh = (
      token: unknown,
      { by = client, ...more }: { by?: Client; [name: string]: unknown } = {},
    ) => host.token({ ...by, grant_type: 'refresh_token', refresh_token: String(token), ...more })
    const events = () => heard.map(({ name }) => name)

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

    /** That a token was taken for stolen: nothing of its grant lives. */
    async function expectReuse(token: unknown, living: { access_token: string; refresh_token: string }) {
      expectRejected(await refresh(token))
      expect(events().at(-1)).toBe('refresh_token.reused')
      expect((await host.call('GET /invoices/list', living.access_token)).status).toBe(401)
      expectRejected(await refresh(living.refresh_token))
    }

    function freeze(): number {
      const now = Date.now()
      vi.useFakeTimers({ toFake: ['Date'], now })
      return now
    }

    test('50 parallel refreshes of one token: all 200, one distinct refresh token, the family lives', async () => {
      const first = await begin()
      const answers = await Promise.all(
        Array.from({ length: 50 }, () => requireRefreshed(first.refresh_token)),
      )
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

    test('the same refresh token, a fresh access token, and an event of its own', async () => {
      const first = await begin({ parameters: { scope: 'openid invoices:read' } })
      const lost = await requireRefreshed(first.refresh_token)
      const again = await requireRefreshed(first.refresh_token)
      expect(again).toEqual({
        ...lost,
        access_token: expect.any(String),
        id_token: expect.any(String),
      })
      expect(decodeJwt(again.access_token).jti).not.toBe(decodeJwt(lost.access_token).jti)
      const grantId = decodeJwt(again.access_token)['grant_id']
      expect(heard).toEqual([
        { name: 'refresh_token.retried', event: { clientId: client.client_id, accountId: 'alice', grantId } },
      ])
      await requireRefreshed(again.refresh_token)
    })

    test('it costs one write, which proves that what is told is stored as safely as anything', async () => {
      const first = await begin()
      await requireRefreshed(first.refresh_token)
      for (let time = 0; time < 2; time += 1) {
        writes.length = 0
        await requireRefreshed(first.refresh_token)
        expect(writes.map((write) => write.split(':')[0])).toEqual(['replace refresh-family'])
      }
    })

    test('without the option the second use is theft, also a moment later', async () => {
      const usual = await startHost({ store: makeStore() })
      try {
        const usualClient = await usual.createApplication()
        const { refresh_token } = await connect(usual, usualClient)
        const body = { ...usualClient, grant_type: 'refresh_token', refresh_token }
        expect((await usual.token(body)).status).toBe(200)
        expectRejected(await usual.token(body))
      } finally {
        await usual.close()
      }
    })

    test.each([
      ['within the seconds', SECONDS - 1, true],
      ['once they are over', SECONDS, false],
      ['an hour later', 3600, false],
      ['after the clock was put back by an hour', -3600, false],
    ])('%s', async (_when, seconds, isFine) => {
      const first = await begin()
      const now = freeze()
      const next = await requireRefreshed(first.refresh_token)
      // By a clock that goes wrong, the tokens of then are from the future; that is not what is asked here.
      vi.setSystemTime(now + seconds * 1000)
      if (isFine) {
        expect((await requireRefreshed(first.refresh_token)).refresh_token).toBe(next.refresh_token)
        return
      }
      expectRejected(await refresh(first.refresh_token))
      expect(events()).toEqual(['refresh_token.reused'])
      expectRejected(await refresh(next.refresh_token))
    })

    test('once the next token was used, its predecessor is theft', async () => {
      const first = await begin()
      const second = await requireRefreshed(first.refresh_token)
      await requireRefreshed(first.refresh_token)
      const third = await requireRefreshed(second.refresh_token)
      await expectReuse(first.refresh_token, third)
      // What had been forgiven before is not any more.
      expectRejected(await refresh(second.refresh_token))
    })

    test('another client with the token is rejected, and costs the family nothing', async () => {
      const foreign = await host.createApplication({ name: 'Foreign' })
      const first = await begin()
      const next = await requireRefreshed(first.refresh_token)
      expectRejected(await refresh(first.refresh_token, { by: foreign }))
      expect(heard).toEqual([])
      expect((await requireRefreshed(first.refresh_token)).refresh_token).toBe(next.refresh_token)
    })

    test('`scope` and `resource` are judged as at any refresh', async () => {
      const first = await begin({ untick: ['payments:list'] })
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

    test('it gives what the application may do now, and nothing if that is nothing', async () => {
      const first = await begin()
      const next = await requireRefreshed(first.refresh_token)
      expect(next.scope).toContain('payments:list')
      await host.gatehouse.applications.removeProduct(client.client_id, 'payments')
      expect((await requireRefreshed(first.refresh_token)).scope).toBe('invoices:read invoices:create')
      await host.gatehouse.applications.removeProduct(client.client_id, 'invoices')
      expectRejected(await refresh(first.refresh_token), 'unauthorized_client')
      await host.gatehouse.applications.addProduct(client.client_id, 'invoices')
      expect((await requireRefreshed(first.refresh_token)).refresh_token).toBe(next.refresh_token)
    })

    test('it lets nothing live longer', async () => {
      const lifetime = 30 * 86_400
      const first = await begin()
      const now = freeze()
      const next = await requireRefreshed(first.refresh_token)
      vi.setSystemTime(now + (SECONDS - 1) * 1000)
      const again = await requireRefreshed(first.refresh_token)
      expect(decodeJwt(again.access_token).exp).toBe(Math.floor(Date.now() / 1000) + 3600)
      vi.setSystemTime(now + lifetime * 1000)
      expectRejected(await refresh(next.refresh_token))
    })

    test('to introspection, the old token is over and the next one is alive', async () => {
      const first = await begin()
      const next = await requireRefreshed(first.refresh_token)
      const isActive = async (token: string) =>
        (await host.post('/oauth2/introspect', { ...client, token })).body['active']
      expect(await isActive(first.refresh_token)).toBe(false)
      expect(await isActive(next.refresh_token)).toBe(true)
      expect((await requireRefreshed(first.refresh_token)).refresh_token).toBe(next.refresh_token)
    })

    test('not once the client has handed the tokens back', async () => {
      const first = await begin()
      const next = await requireRefreshed(first.refresh_token)
      expect((await host.post('/oauth2/revoke', { ...client, token: first.refresh_token })).status).toBe(200)
      expectRejected(await refresh(first.refresh_token))
      expectRejected(await refresh(next.refresh_token))
      expect(events()).toEqual([])
    })

    test('a code that is used again is theft as ever', async () => {
      const { code } = await authorize(host, client.client_id, { browser })
      const exchange = () => host.token({ ...client, grant_type: 'authorization_code', code })
      const { body } = await exchange()
      expectRejected(await exchange())
      expectRejected(await refresh(body['refresh_token']))
      expect((await host.call('GET /invoices/list', String(body['access_token']))).status).toBe(401)
    })
  },
)
