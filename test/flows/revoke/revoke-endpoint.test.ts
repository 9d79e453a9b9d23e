import { randomUUID } from 'node:crypto'
import { decodeJwt } from 'jose'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { faultyStore } from '../../support/faulty-store.ts'
import { authorize, connect, startHost, type Host, type Tokens } from '../../support/host.ts'
import { describeEachStore, watchWrites } from '../../support/stores.ts'

type Client = { client_id: string; client_secret: string }

const revoke = (host: Host, client: Client, token: string, more: Record<string, string> = {}) =>
  host.post('/oauth2/revoke', { ...client, token, ...more })
const refresh = (host: Host, client: Client, token: string) =>
  host.token({ ...client, grant_type: 'refresh_token', refresh_token: token })
const direct = async (host: Host, client: Client) =>
  String((await host.token({ ...client, grant_type: 'client_credentials' })).body['access_token'])
const introspect = async (host: Host, client: Client, token: string) =>
  (await host.post('/oauth2/introspect', { ...client, token })).body

/** Another process of the same service: an authorization service and a gateway on the same data. */
function startOther(host: Host, store: ReturnType<typeof memoryStore>): Promise<Host> {
  return startHost({ store, gatehouse: { issuer: host.issuer, audience: host.audience } })
}

async function expectRevoked(host: Host, token: string): Promise<void> {
  host.reached.splice(0)
  const { status, body, headers } = await host.call('GET /invoices/list', token)
  expect([status, body['error']]).toEqual([401, 'invalid_token'])
  expect(headers.get('www-authenticate')).toContain('error="invalid_token"')
  expect(host.reached).toEqual([])
}

/** As soon as the process has heard of it. */
const expectRevokedSoon = (host: Host, token: string) =>
  vi.waitFor(() => expectRevoked(host, token), { timeout: 1000, interval: 10 })

async function expectGood(host: Host, ...tokens: string[]): Promise<void> {
  for (const token of tokens) expect((await host.call('GET /invoices/list', token)).status).toBe(200)
}

describeEachStore('POST {auth_url}/oauth2/revoke (RFC 7009)', (makeStore) => {
  let host: Host
  let other: Host
  let key: Client
  let application: Client
  let writes: string[]
  const events: object[] = []
  const failures: unknown[] = []
  beforeAll(async () => {
    const data = randomUUID()
    const watched = watchWrites(makeStore(data))
    writes = watched.writes
    host = await startHost({ store: watched.store })
    await host.gatehouse.ready()
    other = await startOther(host, makeStore(data))
    await other.gatehouse.ready()
    host.gatehouse.on('token.revoked', (event) => events.push(event))
    host.gatehouse.on('error', ({ error }) => failures.push(error))
    key = await host.createApiKey()
    application = await host.createApplication()
  })
  beforeEach(() => void events.splice(0))
  afterEach(() => void vi.useRealTimers())
  afterAll(async () => {
    expect(failures).toEqual([])
    await Promise.all([host.close(), other.close()])
  })

  const delegated = (client = application) =>
    connect(host, client, { parameters: { scope: 'openid invoices:read' } })

  async function userInfo(token: string): Promise<number> {
    const headers = { authorization: `Bearer ${token}` }
    return (await fetch(`${host.issuer}/oauth2/userinfo`, { headers })).status
  }

  // A client with one token could have made every process read and keep as many revocations as it sent requests.
  it('is written once, and told once, however often a client sends the same token', async () => {
    const tokens = [
      { client: key, token: await direct(host, key) },
      { client: application, token: (await delegated()).access_token },
    ]
    for (const { client, token } of tokens) {
      writes.length = 0
      const answers = await Promise.all(Array.from({ length: 10 }, () => revoke(host, client, token)))
      answers.push(await revoke(host, client, token))
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
      const kinds = writes.map((write) => write.replace(/:\d+$/, ''))
      for (const kind of ['add revocations:recent', 'publish revocations']) {
        expect(kinds.filter((each) => each === kind)).toHaveLength(1)
      }
      await expectRevoked(host, token)
      await expectRevokedSoon(other, token)
    }
    expect(events).toHaveLength(2)
  })

  it('takes a direct token back, here at once and in another process, and that one alone', async () => {
    const [token, sibling] = [await direct(host, key), await direct(host, key)]
    await expectGood(host, token, sibling)
    await expectGood(other, token)
    const { status, text, headers } = await revoke(host, key, token)
    expect([status, text, headers.get('cache-control')]).toEqual([200, '{}', 'no-store'])
    await expectRevoked(host, token)
    await expectRevokedSoon(other, token)
    expect(await introspect(host, key, token)).toEqual({ active: false })
    expect(await introspect(other, key, token)).toEqual({ active: false })
    await expectGood(host, sibling)
    await expectGood(other, sibling)
    expect(events).toEqual([{ of: 'token', id: decodeJwt(token).jti }])
  })

  it('takes a delegated access token back, while everything else of its grant stays', async () => {
    const tokens = await delegated()
    const second = (await refresh(host, application, tokens.refresh_token)).body as unknown as Tokens
    expect(await userInfo(tokens.access_token)).toBe(200)
    expect((await revoke(host, application, tokens.access_token)).status).toBe(200)
    await expectRevoked(host, tokens.access_token)
    await expectRevokedSoon(other, tokens.access_token)
    expect(await userInfo(tokens.access_token)).toBe(401)
    expect(await introspect(host, application, tokens.access_token)).toEqual({ active: false })

    await expectGood(host, second.access_token)
    expect(await userInfo(second.access_token)).toBe(200)
    const third = await refresh(host, application, second.refresh_token)
    expect(third.status).toBe(200)
    await expectGood(other, String(third.body['access_token']))
    expect(events).toEqual([{ of: 'token', id: decodeJwt(tokens.access_token).jti }])
  })

  it.each(['current', 'used'])(
    'takes a refresh token back with all of its grant (a %s one)',
    async (which) => {
      const [tokens, neighbour] = [await delegated(), await delegated()]
      const second = (await refresh(host, application, tokens.refresh_token)).body as unknown as Tokens
      const reused = vi.fn()
      host.gatehouse.on('refresh_token.reused', reused)
      const token = which === 'used' ? tokens.refresh_token : second.refresh_token
      expect(await revoke(host, application, token)).toMatchObject({ status: 200, text: '{}' })
      for (const gone of [tokens.refresh_token, second.refresh_token]) {
        expect(await introspect(host, application, gone)).toEqual({ active: false })
        for (const process of [host, other]) {
          const { status, body } = await refresh(process, application, gone)
          expect([status, body['error']]).toEqual([400, 'invalid_grant'])
        }
      }
      for (const { access_token: gone } of [tokens, second]) {
        await expectRevoked(host, gone)
        await expectRevokedSoon(other, gone)
        expect(await userInfo(gone)).toBe(401)
        expect(await introspect(host, application, gone)).toEqual({ active: false })
      }
      await expectGood(host, neighbour.access_token)
      expect((await refresh(host, application, neighbour.refresh_token)).status).toBe(200)
      const grant = decodeJwt(tokens.access_token)['grant_id']
      expect(events).toEqual([{ of: 'grant', id: grant }])
      // It is handed back by who may use it: nobody has stolen anything.
      expect(reused).not.toHaveBeenCalled()
      host.gatehouse.off('refresh_token.reused', reused)
    },
  )

  it('leaves what the user has agreed to: the application may come back without a question', async () => {
    const client = await host.createApplication()
    const { browser, code } = await authorize(host, client.client_id)
    const { body } = await host.token({ ...client, grant_type: 'authorization_code', code })
    await revoke(host, client, String(body['refresh_token']))
    const again = await authorize(host, client.client_id, { browser, parameters: { prompt: 'none' } })
    const exchanged = await host.token({
      ...client,
      grant_type: 'authorization_code',
      code: again.code,
    })
    expect(exchanged.status).toBe(200)
    await expectGood(host, String(exchanged.body['access_token']))
  })

  it("does nothing to somebody else's tokens, and answers as to an unknown one", async () => {
    const tokens = await delegated()
    const token = await direct(host, key)
    const thief = await host.createApplication()
    const before = writes.length
    const unknown = await revoke(host, thief, 'nothing')
    for (const theirs of [token, tokens.access_token, tokens.refresh_token, String(tokens.id_token)]) {
      const { status, text, headers } = await revoke(host, thief, theirs)
      expect([status, text]).toEqual([unknown.status, unknown.text])
      expect([...headers.keys()]).toEqual([...unknown.headers.keys()])
    }
    expect(unknown.status).toBe(200)
    expect(writes.slice(before)).toEqual([])
    expect(events).toEqual([])
    await expectGood(host, token, tokens.access_token)
    expect((await refresh(host, application, tokens.refresh_token)).status).toBe(200)
  })

  it('answers 200 to whatever is no token of ours, and does nothing', async () => {
    const token = await direct(host, key)
    const tokens = await delegated()
    const [header, payload, signature = ''] = token.split('.')
    const [grantId, generation, random] = tokens.refresh_token.split('.')
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const before = writes.length
    const garbage = [
      'nothing',
      'a.b.c',
      'x'.repeat(10_000),
      'token:',
      `token:${token}`,
      `${header}.${payload}.${signature.toUpperCase()}`,
      `${header}.${payload}`,
      `${encode({ alg: 'none', typ: 'at+jwt' })}.${payload}.`,
      `${encode({ alg: 'dir', enc: 'A256GCM' })}.a.b.c.d`,
      encode({ alg: 'ES256' }),
      String(tokens.id_token),
      `${grantId}.${generation}.${random}.${'A'.repeat(22)}`,
      `${encode({ a: 1 })}.0.${random}.${'A'.repeat(22)}`,
      '__proto__',
    ]
    for (const [of, client] of [
      ['key', key],
      ['application', application],
    ] as const) {
      for (const value of garbage) {
        const { status, text } = await revoke(host, client, value)
        expect([of, value, status, text]).toEqual([of, value, 200, '{}'])
      }
    }
    expect(writes.slice(before)).toEqual([])
    await expectGood(host, token, tokens.access_token)
  })

  it('answers 200 to tokens that have expired, or were revoked before', async () => {
    const tokens = await delegated()
    expect((await revoke(host, application, tokens.access_token)).status).toBe(200)
    expect((await revoke(host, application, tokens.access_token)).status).toBe(200)
    expect((await revoke(host, application, tokens.refresh_token)).status).toBe(200)
    expect((await revoke(host, application, tokens.refresh_token)).status).toBe(200)
    const { access_token: old } = await delegated()
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_601_000 })
    events.splice(0)
    expect((await revoke(host, application, old)).status).toBe(200)
    expect(events).toEqual([])
  })

  it.each(['access_token', 'refresh_token', 'saml_assertion', ''])(
    'token_type_hint is a hint and no more: %j',
    async (hint) => {
      const tokens = await delegated()
      const more = { token_type_hint: hint }
      expect((await revoke(host, application, tokens.access_token, more)).status).toBe(200)
      await expectRevoked(host, tokens.access_token)
      expect((await revoke(host, application, tokens.refresh_token, more)).status).toBe(200)
      expect((await refresh(host, application, tokens.refresh_token)).status).toBe(400)
    },
  )

  it('50 at once, with a refresh in the middle: all are answered, and nothing of the grant lives on', async () => {
    const tokens = await delegated()
    const [refreshed, ...revoked] = await Promise.all([
      refresh(other, application, tokens.refresh_token),
      ...Array.from({ length: 50 }, (_, index) =>
        revoke(index % 2 === 0 ? host : other, application, tokens.refresh_token),
      ),
    ])
    expect(revoked.map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 200))
    // The refresh was in time, or it was not; whatever it gave is dead.
    expect([200, 400]).toContain(refreshed.status)
    const left = [tokens, ...(refreshed.status === 200 ? [refreshed.body as unknown as Tokens] : [])]
    for (const { access_token: token, refresh_token: next } of left) {
      await expectRevokedSoon(host, token)
      await expectRevokedSoon(other, token)
      expect((await refresh(host, application, next)).body['error']).toBe('invalid_grant')
    }
  })
})

describe('POST {auth_url}/oauth2/revoke', () => {
  let host: Host
  let key: Client
  let token: string
  beforeAll(async () => {
    host = await startHost()
    key = await host.createApiKey()
  })
  beforeEach(async () => {
    token = await direct(host, key)
  })
  afterAll(() => host.close())

  const basic = (client: Client) => ({
    authorization: `Basic ${Buffer.from(`${client.client_id}:${client.client_secret}`).toString('base64')}`,
  })

  it('knows the client by its secret in the Basic header, too', async () => {
    expect((await host.post('/oauth2/revoke', { token }, basic(key))).status).toBe(200)
    await expectRevoked(host, token)
  })

  it('needs no product on the client', async () => {
    await host.gatehouse.apiKeys.removeProduct(key.client_id, 'payments')
    expect((await revoke(host, key, token)).status).toBe(200)
    await host.gatehouse.apiKeys.addProduct(key.client_id, 'payments')
    await expectRevoked(host, token)
  })

  it.each<[string, () => ReturnType<Host['post']>, number, string]>([
    [
      'a wrong secret',
      () => revoke(host, { ...key, client_secret: 'x'.repeat(43) }, token),
      401,
      'invalid_client',
    ],
    ['an unknown client', () => revoke(host, { ...key, client_id: 'nobody' }, token), 401, 'invalid_client'],
    [
      'no secret',
      () => host.post('/oauth2/revoke', { client_id: key.client_id, token }),
      401,
      'invalid_client',
    ],
    ['no client', () => host.post('/oauth2/revoke', { token }), 401, 'invalid_client'],
    ['no token', () => host.post('/oauth2/revoke', key), 400, 'invalid_request'],
    ['an empty token', () => revoke(host, key, ''), 400, 'invalid_request'],
    [
      'two tokens',
      () => host.post('/oauth2/revoke', [...Object.entries(key), ['token', token], ['token', token]]),
      400,
      'invalid_request',
    ],
    [
      'a browser',
      () => host.post('/oauth2/revoke', { ...key, token }, { origin: 'https://shop.example' }),
      400,
      'invalid_request',
    ],
    [
      'a browser that wants a page',
      () => host.post('/oauth2/revoke', { ...key, client_id: 'nobody', token }, { accept: 'text/html' }),
      401,
      'invalid_client',
    ],
  ])('rejects %s in JSON, and does nothing', async (_name, ask, status, error) => {
    const answer = await ask()
    expect([answer.status, answer.body['error']]).toEqual([status, error])
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.text).not.toContain(token)
    await expectGood(host, token)
  })

  it('a secret that is missing is told as at the token endpoint', async () => {
    const { body } = await host.post('/oauth2/revoke', { client_id: key.client_id, token })
    expect(body['error_description']).toMatch(/^client_secret is missing/)
  })

  it.each(['GET', 'PUT', 'DELETE'])('answers 405 to %s', async (method) => {
    const response = await fetch(`${host.issuer}/oauth2/revoke`, { method })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])
  })
})

describe('POST {auth_url}/oauth2/revoke while the store is away', () => {
  /** Revokes with the store away from one call on, each in its turn, then once more; then asks another process. */
  async function eachFault(pick: (tokens: Tokens) => string): Promise<number> {
    const inner = memoryStore()
    const faulty = faultyStore(inner)
    const host = await startHost({ store: faulty.store, gatehouse: { storeTimeoutMs: 100 } })
    const client = await host.createApplication()
    const dead: Tokens[] = []
    let failed = 0
    try {
      for (let at = 0, isThrough = false; !isThrough; at += 1) {
        const tokens = await connect(host, client)
        faulty.arm(at, 'rejected', { thenAway: true })
        const first = await revoke(host, client, pick(tokens))
        isThrough = faulty.calls.length <= at
        faulty.comeBack()
        if (first.status !== 200) {
          expect([first.status, first.body['error']]).toEqual([503, 'temporarily_unavailable'])
          expect(first.headers.get('retry-after')).toBe('1')
          failed += 1
          expect((await revoke(host, client, pick(tokens))).status).toBe(200)
        }
        dead.push(tokens)
      }
      const other = await startOther(host, inner)
      for (const tokens of dead) await expectRevoked(other, tokens.access_token)
      await other.close()
      return failed
    } finally {
      await host.close()
    }
  }

  it('is 503 at whatever call it fails, and the access token is dead everywhere after the client tried again', async () => {
    expect(await eachFault((tokens) => tokens.access_token)).toBeGreaterThan(2)
  })

  it('the same of a refresh token and its access tokens', async () => {
    expect(await eachFault((tokens) => tokens.refresh_token)).toBeGreaterThan(5)
  })
})
