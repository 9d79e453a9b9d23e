// Also runs on: Redis
import { randomUUID } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { faultyStore } from '../../support/faulty-store.ts'
import { connect, startHost, type Host } from '../../support/host.ts'
import { basic, type Client } from '../../support/host-requests.ts'
import { describeEachStore } from '../../support/stores.ts'
import { until } from '../../support/until.ts'

interface Page {
  revocations: { of: string; id: string; until: number }[]
  cursor: string
  more: boolean
}

async function createResourceServer(host: Host): Promise<Client> {
  await host.gatehouse.ready()
  const { apiKey, clientSecret } = await host.gatehouse.apiKeys.create({
    accountId: 'acme',
    name: 'An API',
    resourceServer: true,
  })
  await host.gatehouse.audit.list({ limit: 1 })
  return { client_id: apiKey.clientId, client_secret: clientSecret }
}

async function poll(host: Host, client: Client, cursor?: string, headers: Record<string, string> = {}) {
  const query = cursor === undefined ? '' : `?${new URLSearchParams({ cursor }).toString()}`
  const response = await fetch(`${host.issuer}/oauth2/revocations${query}`, {
    headers: { ...basic(client), ...headers },
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text }
}

async function read(host: Host, client: Client, cursor?: string): Promise<Page> {
  const { status, headers, text } = await poll(host, client, cursor)
  expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
  expect(headers.get('cache-control')).toBe('no-store')
  return JSON.parse(text) as Page
}

/**
 * Makes an invalid cursor, which is different at each call. A process combines simultaneous requests with the
 * same cursor, so requests with different cursors get their own responses.
 */
const invalidCursor = () => `none-${randomUUID()}`

/** Reads all pages from a cursor, or from the beginning. Returns the revocations and the last cursor. */
async function readAll(host: Host, client: Client, cursor = invalidCursor()) {
  const revocations: Page['revocations'] = []
  let page = await read(host, client, cursor)
  for (;;) {
    revocations.push(...page.revocations)
    if (!page.more) return { revocations, cursor: page.cursor }
    page = await read(host, client, page.cursor)
  }
}

const idsOf = ({ revocations }: { revocations: Page['revocations'] }) => revocations.map(({ id }) => id)

async function revokeOne(host: Host, key: Client): Promise<string> {
  const { body } = await host.requestDirectToken(key)
  const token = String(body['access_token'])
  expect((await host.post('/oauth2/revoke', { ...key, token })).status).toBe(200)
  return String(decodeJwt(token).jti)
}

describeEachStore('the revocation feed with two processes', (makeStore) => {
  let host: Host
  let other: Host
  let key: Client
  let resourceServer: Client
  beforeAll(async () => {
    const data = randomUUID()
    host = await startHost({ store: makeStore(data) })
    resourceServer = await createResourceServer(host)
    key = await host.createApiKey()
    other = await startHost({
      store: makeStore(data),
      gatehouse: { issuer: host.issuer, audience: host.audience },
    })
    await other.gatehouse.ready()
  })
  afterAll(() => Promise.all([host.close(), other.close()]))

  it('the revocation feed sends a resource server without products all revocations, and later only new revocations', async () => {
    const application = await host.createApplication()
    const tokens = await connect(host, application)
    const token = await revokeOne(host, key)
    await host.post('/oauth2/revoke', { ...application, token: tokens.refresh_token })
    const { grant_id: grant } = decodeJwt(tokens.access_token)

    const all = await readAll(host, resourceServer)
    const expiry = expect.any(Number)
    expect(all.revocations).toContainEqual({
      of: 'token',
      id: token,
      clientId: key.client_id,
      epoch: 0,
      until: expiry,
    })
    expect(all.revocations).toContainEqual({ of: 'grant', id: grant, until: expiry })
    const later = await revokeOne(host, key)
    // A cursor is valid at every process of the service. Gateways with the same cursor share a page for some milliseconds.
    for (const process of [host, other]) {
      await until(async () =>
        expect(idsOf(await readAll(process, resourceServer, all.cursor))).toContain(later),
      )
    }
  })

  it('the revocation feed contains revoked signing keys and clients', async () => {
    const { body } = await host.requestDirectToken(key)
    const { kid } = decodeProtectedHeader(String(body['access_token']))
    const disabled = await host.createApiKey()
    await host.gatehouse.apiKeys.disable(disabled.client_id)
    await host.gatehouse.signingKeys.revoke(String(kid))
    const { revocations } = await readAll(host, resourceServer)
    expect(revocations).toContainEqual(expect.objectContaining({ of: 'key', id: kid }))
    expect(revocations).toContainEqual(expect.objectContaining({ of: 'client', id: disabled.client_id }))
  })

  it('the revocation feed answers 304 while nothing is new, and starts from the beginning at an invalid cursor', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'], now: Date.now() })
    const old = await revokeOne(host, key)
    const { cursor: early } = await readAll(host, resourceServer)
    vi.advanceTimersByTime(600_000)
    const { cursor } = await readAll(host, resourceServer, early)
    const first = await poll(host, resourceServer, cursor)
    expect([first.status, first.text]).toEqual([200, expect.not.stringContaining(old)])
    const etag = { 'if-none-match': String(first.headers.get('etag')) }
    const again = await poll(host, resourceServer, cursor, etag)
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag['if-none-match']])
    const newer = await revokeOne(host, key)
    // Requests with the same cursor within a moment share their response.
    vi.advanceTimersByTime(30_000)
    const page = await poll(host, resourceServer, cursor, etag)
    expect([page.status, page.text]).toEqual([200, expect.stringContaining(newer)])
    for (const invalid of ['nonsense', '__proto__', '-1', '99999999999999', 'x'.repeat(2000), '\0'])
      expect(idsOf(await readAll(host, resourceServer, invalid)), invalid).toContain(old)
    vi.useRealTimers()
  })

  it('the revocation feed contains no token and no secret', async () => {
    const { body } = await host.requestDirectToken(key)
    const token = String(body['access_token'])
    await host.post('/oauth2/revoke', { ...key, token })
    const { text } = await poll(host, resourceServer, invalidCursor())
    expect(text).toContain(decodeJwt(token).jti)
    for (const secret of [token, token.split('.')[2]!, key.client_secret, resourceServer.client_secret]) {
      expect(text).not.toContain(secret)
    }
  })
})

describe('the revocation feed on a store that fails', () => {
  let host: Host
  let resourceServer: Client
  const faulty = faultyStore(memoryStore())
  beforeAll(async () => {
    host = await startHost({ store: faulty.store, gatehouse: { storeTimeoutMs: 100 } })
    resourceServer = await createResourceServer(host)
  })
  afterEach(() => faulty.comeBack())
  afterAll(() => host.close())

  const ask = async (headers: Record<string, string>, method = 'GET') => {
    const response = await fetch(`${host.issuer}/oauth2/revocations`, { method, headers })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text }
  }

  it('the revocation feed answers every failed authentication with the same 401 response', async () => {
    const disabled = await createResourceServer(host)
    await host.gatehouse.apiKeys.disable(disabled.client_id)
    const requests: Record<string, Record<string, string>> = {
      'no credentials': {},
      'a wrong secret': basic({ ...resourceServer, client_secret: 'x'.repeat(53) }),
      'an unknown client': basic({ ...resourceServer, client_id: 'key_AAAAAAAAAAAAAAAAAAAAAA' }),
      'a token': { authorization: `Bearer ${resourceServer.client_secret}` },
      'a disabled client': basic(disabled),
    }
    for (const [name, headers] of Object.entries(requests)) {
      const { status, headers: answered, text } = await ask(headers)
      expect([name, status]).toEqual([name, 401])
      expect(answered.get('www-authenticate')).toBe(`Basic realm="${host.issuer}"`)
      expect(answered.get('cache-control')).toBe('no-store')
      expect(JSON.parse(text)).toEqual({
        error: 'invalid_client',
        error_description: 'send client_id and client_secret of a resource server by HTTP Basic',
      })
    }
  })

  it('the revocation feed answers 403 to a client that is not, or is no longer, a resource server', async () => {
    const former = await createResourceServer(host)
    expect((await ask(basic(former))).status).toBe(200)
    await host.gatehouse.apiKeys.setResourceServer(former.client_id, false)
    for (const client of [former, await host.createApiKey(), await host.createApplication()]) {
      const { status, headers, text } = await ask(basic(client))
      expect([status, headers.get('cache-control')]).toEqual([403, 'no-store'])
      expect(JSON.parse(text)).toMatchObject({ error: 'unauthorized_client' })
      expect(text).not.toContain('cursor')
    }
  })

  it('the revocation feed answers HEAD like GET, and 405 to other methods', async () => {
    const { status, headers, text } = await ask(basic(resourceServer), 'HEAD')
    expect([status, text]).toEqual([200, ''])
    expect(headers.get('content-type')).toMatch(/^application\/json/)
    const rejected = await ask(basic(resourceServer), 'POST')
    expect([rejected.status, rejected.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  it('the revocation feed answers 503 in JSON if any store call fails, and never sends an incomplete page', async () => {
    const token = await revokeOne(host, await host.createApiKey())
    // Gatehouse caches a client that it has found. So each request comes from a new client, and makes the
    // same store calls.
    async function pollWithFault(call: number) {
      const client = await createResourceServer(host)
      faulty.arm(call)
      return poll(host, client, invalidCursor(), { accept: 'text/html' })
    }

    let unavailable = 0
    for (let call = 0, isComplete = false; !isComplete; call += 1) {
      const { status, headers, text } = await pollWithFault(call)
      isComplete = faulty.calls.length <= call
      if (status === 200) {
        // No response waits for the last use of the secret and of the key.
        expect(idsOf(JSON.parse(text) as Page)).toContain(token)
        continue
      }
      unavailable += 1
      expect([status, headers.get('retry-after')]).toEqual([503, '1'])
      expect(JSON.parse(text)).toMatchObject({ error: 'temporarily_unavailable' })
    }
    // The read of the client, and two reads of revocations.
    expect(unavailable).toBeGreaterThanOrEqual(3)
  })
})
