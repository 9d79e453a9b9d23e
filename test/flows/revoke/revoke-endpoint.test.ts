// Also runs on: Redis
import { randomUUID } from 'node:crypto'
import { decodeJwt } from 'jose'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { faultyStore } from '../../support/faulty-store.ts'
import { authorize, connect, startHost, type Host, type Tokens } from '../../support/host.ts'
import { basic, type Client } from '../../support/host-requests.ts'
import { expectAccepted, expectRejected, expectRejectedSoon } from '../../support/token-checks.ts'
import { describeEachStore, watchWrites } from '../../support/stores.ts'

const revoke = (host: Host, client: Client, token: string, more: Record<string, string> = {}) =>
  host.post('/oauth2/revoke', { ...client, token, ...more })
const direct = async (host: Host, client: Client) =>
  String((await host.requestDirectToken(client)).body['access_token'])
const introspect = async (host: Host, client: Client, token: string) =>
  (await host.post('/oauth2/introspect', { ...client, token })).body

/**
 * Starts another process of the same service. It has an authorization service and a gateway on the same
 * store.
 */
function startOther(host: Host, store: ReturnType<typeof memoryStore>): Promise<Host> {
  return startHost({ store, gatehouse: { issuer: host.issuer, audience: host.audience } })
}

describeEachStore('the revocation endpoint with two processes', (makeStore) => {
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

  const userInfo = async (token: string) => (await host.userInfo(token)).status

  // If each request wrote a revocation, a client with a single token could make every process store any
  // number of revocations.
  it('revoking the same token many times writes and publishes one revocation', async () => {
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
      await expectRejected(host, token)
      await expectRejectedSoon(other, token)
    }
    expect(events).toHaveLength(2)
  })

  it('revoking a direct token rejects only that token, immediately in this process and soon in another process', async () => {
    const [token, sibling] = [await direct(host, key), await direct(host, key)]
    await expectAccepted(host, [token, sibling])
    await expectAccepted(other, token)
    const { status, text, headers } = await revoke(host, key, token)
    expect([status, text, headers.get('cache-control')]).toEqual([200, '{}', 'no-store'])
    await expectRejected(host, token)
    await expectRejectedSoon(other, token)
    expect(await introspect(host, key, token)).toEqual({ active: false })
    expect(await introspect(other, key, token)).toEqual({ active: false })
    await expectAccepted(host, sibling)
    await expectAccepted(other, sibling)
    expect(events).toEqual([{ of: 'token', id: decodeJwt(token).jti }])
  })

  it('revoking a delegated access token leaves the other tokens of its grant valid', async () => {
    const tokens = await delegated()
    const second = (await host.refresh(application, tokens.refresh_token)).body as unknown as Tokens
    expect(await userInfo(tokens.access_token)).toBe(200)
    expect((await revoke(host, application, tokens.access_token)).status).toBe(200)
    await expectRejected(host, tokens.access_token)
    await expectRejectedSoon(other, tokens.access_token)
    expect(await userInfo(tokens.access_token)).toBe(401)
    expect(await introspect(host, application, tokens.access_token)).toEqual({ active: false })

    await expectAccepted(host, second.access_token)
    expect(await userInfo(second.access_token)).toBe(200)
    const third = await host.refresh(application, second.refresh_token)
    expect(third.status).toBe(200)
    await expectAccepted(other, String(third.body['access_token']))
    expect(events).toEqual([{ of: 'token', id: decodeJwt(tokens.access_token).jti }])
  })

  it.each(['current', 'used'])(
    'revoking a refresh token revokes its whole grant (%s refresh token)',
    async (which) => {
      const [tokens, neighbour] = [await delegated(), await delegated()]
      const second = (await host.refresh(application, tokens.refresh_token)).body as unknown as Tokens
      const reused = vi.fn()
      host.gatehouse.on('refresh_token.reused', reused)
      const token = which === 'used' ? tokens.refresh_token : second.refresh_token
      expect(await revoke(host, application, token)).toMatchObject({ status: 200, text: '{}' })
      for (const revoked of [tokens.refresh_token, second.refresh_token]) {
        expect(await introspect(host, application, revoked)).toEqual({ active: false })
        for (const process of [host, other]) {
          const { status, body } = await process.refresh(application, revoked)
          expect([status, body['error']]).toEqual([400, 'invalid_grant'])
        }
      }
      for (const { access_token: revoked } of [tokens, second]) {
        await expectRejected(host, revoked)
        await expectRejectedSoon(other, revoked)
        expect(await userInfo(revoked)).toBe(401)
        expect(await introspect(host, application, revoked)).toEqual({ active: false })
      }
      await expectAccepted(host, neighbour.access_token)
      expect((await host.refresh(application, neighbour.refresh_token)).status).toBe(200)
      const grant = decodeJwt(tokens.access_token)['grant_id']
      expect(events).toEqual([{ of: 'grant', id: grant }])
      // The client has revoked its own token, so the next use of the token is not a reuse.
      expect(reused).not.toHaveBeenCalled()
      host.gatehouse.off('refresh_token.reused', reused)
    },
  )

  it("revoking a refresh token keeps the user's consent, so the application gets a code without a page", async () => {
    const client = await host.createApplication()
    const { browser, code } = await authorize(host, client.client_id)
    const { body } = await host.exchangeCode(client, code)
    await revoke(host, client, String(body['refresh_token']))
    const again = await authorize(host, client.client_id, { browser, parameters: { prompt: 'none' } })
    const exchanged = await host.exchangeCode(client, again.code)
    expect(exchanged.status).toBe(200)
    await expectAccepted(host, String(exchanged.body['access_token']))
  })

  it('revoking a token of another client does nothing and gets the same response as an unknown token', async () => {
    const tokens = await delegated()
    const token = await direct(host, key)
    const thief = await host.createApplication()
    const before = writes.length
    const unknown = await revoke(host, thief, 'nothing')
    for (const otherToken of [token, tokens.access_token, tokens.refresh_token, String(tokens.id_token)]) {
      const { status, text, headers } = await revoke(host, thief, otherToken)
      expect([status, text]).toEqual([unknown.status, unknown.text])
      expect([...headers.keys()]).toEqual([...unknown.headers.keys()])
    }
    expect(unknown.status).toBe(200)
    // The thief has used its own secret.
    expect(writes.slice(before).filter((write) => !write.startsWith('set secret-usage:'))).toEqual([])
    expect(events).toEqual([])
    await expectAccepted(host, [token, tokens.access_token])
    expect((await host.refresh(application, tokens.refresh_token)).status).toBe(200)
  })

  it('revoking a value that is not a valid token of this service answers 200 and does nothing', async () => {
    const token = await direct(host, key)
    const tokens = await delegated()
    const [header, payload, signature = ''] = token.split('.')
    const [grantId, generation, random] = tokens.refresh_token.split('.')
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const before = writes.length
    const invalid = [
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
      for (const value of invalid) {
        const { status, text } = await revoke(host, client, value)
        expect([of, value, status, text]).toEqual([of, value, 200, '{}'])
      }
    }
    expect(writes.slice(before)).toEqual([])
    await expectAccepted(host, [token, tokens.access_token])
  })

  it('revoking an expired or revoked token answers 200', async () => {
    const tokens = await delegated()
    expect((await revoke(host, application, tokens.access_token)).status).toBe(200)
    expect((await revoke(host, application, tokens.access_token)).status).toBe(200)
    expect((await revoke(host, application, tokens.refresh_token)).status).toBe(200)
    expect((await revoke(host, application, tokens.refresh_token)).status).toBe(200)
    const { access_token: old } = await delegated()
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_601_000 })
    events.splice(0)
    expect((await revoke(host, application, old)).status).toBe(200)
    // By the clock of Redis, which the test cannot set, the token has not expired: so it is revoked.
    expect(events).toHaveLength(makeStore().volatile ? 0 : 1)
  })

  it('the token_type_hint does not restrict which token is revoked (RFC 7009 2.1)', async () => {
    for (const token_type_hint of ['access_token', 'refresh_token', 'saml_assertion', '']) {
      const tokens = await delegated()
      const more = { token_type_hint }
      expect((await revoke(host, application, tokens.access_token, more)).status).toBe(200)
      await expectRejected(host, tokens.access_token)
      expect((await revoke(host, application, tokens.refresh_token, more)).status).toBe(200)
      expect((await host.refresh(application, tokens.refresh_token)).status).toBe(400)
    }
  })

  it('20 revocations and a refresh that arrive at the same time are all answered, and leave no valid token of the grant', async () => {
    const tokens = await delegated()
    const [refreshed, ...revoked] = await Promise.all([
      other.refresh(application, tokens.refresh_token),
      ...Array.from({ length: 20 }, (_, index) =>
        revoke(index % 2 === 0 ? host : other, application, tokens.refresh_token),
      ),
    ])
    expect(revoked.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200))
    // The refresh may succeed or fail. If it succeeded, its tokens are rejected.
    expect([200, 400]).toContain(refreshed.status)
    const left = [tokens, ...(refreshed.status === 200 ? [refreshed.body as unknown as Tokens] : [])]
    for (const { access_token: token, refresh_token: next } of left) {
      await expectRejectedSoon(host, token)
      await expectRejectedSoon(other, token)
      expect((await host.refresh(application, next)).body['error']).toBe('invalid_grant')
    }
  })
})

describe('the requests that the revocation endpoint accepts', () => {
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

  it('the revocation endpoint also authenticates a client by HTTP Basic', async () => {
    expect((await host.post('/oauth2/revoke', { token }, basic(key))).status).toBe(200)
    await expectRejected(host, token)
  })

  it('the revocation endpoint accepts a client that has lost a product', async () => {
    await host.gatehouse.apiKeys.removeProduct(key.client_id, 'payments')
    expect((await revoke(host, key, token)).status).toBe(200)
    await host.gatehouse.apiKeys.addProduct(key.client_id, 'payments')
    await expectRejected(host, token)
  })

  it('the revocation endpoint rejects invalid requests, answers in JSON, and revokes nothing', async () => {
    const unknown = { ...key, client_id: 'unknown' }
    const twice: [string, string][] = [...Object.entries(key), ['token', token], ['token', token]]
    const html = { accept: 'text/html' }
    const answers: [string, number, Awaited<ReturnType<Host['post']>>][] = [
      ['a wrong secret', 401, await revoke(host, { ...key, client_secret: 'x'.repeat(43) }, token)],
      ['an unknown client', 401, await revoke(host, unknown, token)],
      ['an unknown client, HTML', 401, await host.post('/oauth2/revoke', { ...unknown, token }, html)],
      ['no token', 400, await host.post('/oauth2/revoke', key)],
      ['an empty token', 400, await revoke(host, key, '')],
      ['two tokens', 400, await host.post('/oauth2/revoke', twice)],
      [
        'the Origin header of a browser',
        400,
        await host.post('/oauth2/revoke', { ...key, token }, { origin: 'https://shop.example' }),
      ],
    ]
    for (const [name, expected, { status, body, headers, text }] of answers) {
      const error = expected === 401 ? 'invalid_client' : 'invalid_request'
      expect([name, status, body['error']]).toEqual([name, expected, error])
      expect(headers.get('content-type')).toMatch(/^application\/json/)
      expect(headers.get('cache-control')).toBe('no-store')
      expect(text).not.toContain(token)
    }
    await expectAccepted(host, token)
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const { status, headers } = await fetch(`${host.issuer}/oauth2/revoke`, { method })
      expect([method, status, headers.get('allow')]).toEqual([method, 405, 'POST, OPTIONS'])
    }
  })
})

describe('the revocation endpoint while the store is unavailable', () => {
  /**
   * For each store call of a revocation, revokes a token while the store fails from that call on. When the
   * store works again, retries the revocation. At the end, checks in another process that all tokens are
   * rejected.
   *
   * @returns the number of revocations that failed at first
   */
  async function revokeWithEachFault(pick: (tokens: Tokens) => string): Promise<number> {
    const inner = memoryStore()
    const faulty = faultyStore(inner)
    const host = await startHost({ store: faulty.store, gatehouse: { storeTimeoutMs: 100 } })
    const client = await host.createApplication()
    const revoked: Tokens[] = []
    let failed = 0
    try {
      for (let call = 0, isComplete = false; !isComplete; call += 1) {
        const tokens = await connect(host, client)
        faulty.arm(call, 'rejected', { thenAway: true })
        const first = await revoke(host, client, pick(tokens))
        isComplete = faulty.calls.length <= call
        faulty.comeBack()
        if (first.status !== 200) {
          expect([first.status, first.body['error']]).toEqual([503, 'temporarily_unavailable'])
          expect(first.headers.get('retry-after')).toBe('1')
          failed += 1
          expect((await revoke(host, client, pick(tokens))).status).toBe(200)
        }
        revoked.push(tokens)
      }
      const other = await startOther(host, inner)
      for (const tokens of revoked) await expectRejected(other, tokens.access_token)
      await other.close()
      return failed
    } finally {
      await host.close()
    }
  }

  it.each([
    ['an access token', ({ access_token }: Tokens) => access_token],
    ['a refresh token', ({ refresh_token }: Tokens) => refresh_token],
  ])(
    'while the store fails, revoking %s answers 503, and after a retry the access token is rejected everywhere',
    async (_, pick) => {
      expect(await revokeWithEachFault(pick)).toBeGreaterThan(2)
    },
  )
})
