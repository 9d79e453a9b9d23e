// Also runs on: Redis
import { randomUUID } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { faultyStore } from '../../support/faulty-store.ts'
import { connect, startHost, type Host } from '../../support/host.ts'
import { basic, type Client } from '../../support/host-requests.ts'
import { describeEachStore } from '../../support/stores.ts'

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
  afterEach(() => void vi.useRealTimers())
  afterAll(() => Promise.all([host.close(), other.close()]))

  it('the revocation feed sends a resource server without products all revocations, and later only new revocations', async () => {
    const application = await host.createApplication()
    const tokens = await connect(host, application)
    const token = await revokeOne(host, key)
    await host.post('/oauth2/revoke', { ...application, token: tokens.refresh_token })
    const { grant_id: grant } = decodeJwt(tokens.access_token)

    const all = await readAll(host, resourceServer)
    const until = expect.any(Number)
    expect(all.revocations).toContainEqual({
      of: 'token',
      id: token,
      clientId: key.client_id,
      epoch: 0,
      until,
    })
    expect(all.revocations).toContainEqual({ of: 'grant', id: grant, until })
    const later = await revokeOne(host, key)
    // A cursor is valid at every process of the service.
    for (const process of [host, other]) {
      expect(idsOf(await readAll(process, resourceServer, all.cursor))).toContain(later)
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

  it('the revocation feed starts from the beginning at an invalid cursor', async () => {
    const token = await revokeOne(host, key)
    for (const cursor of ['nonsense', '__proto__', '-1', 'NaN', '99999999999999', 'x'.repeat(2000), '\0']) {
      expect(idsOf(await readAll(host, resourceServer, cursor)), cursor).toContain(token)
    }
    await vi.waitFor(async () => expect(idsOf(await readAll(host, resourceServer, ''))).toContain(token))
  })

  it('during an hour of polling, the revocation feed answers 304 while nothing is new, and sends no old revocation again', async () => {
    const now = Date.now()
    vi.useFakeTimers({ toFake: ['Date', 'performance'], now })
    const old = await revokeOne(host, key)
    let { cursor } = await readAll(host, resourceServer)
    let etag = ''
    let newer = ''
    const answers = { unchanged: 0, changed: 0 }
    for (let seconds = 30; seconds <= 3600; seconds += 30) {
      vi.advanceTimersByTime(30_000)
      if (seconds === 3000) newer = await revokeOne(host, key)
      const answer = await poll(host, resourceServer, cursor, etag === '' ? {} : { 'if-none-match': etag })
      expect([200, 304]).toContain(answer.status)
      if (answer.status === 304) {
        expect(answer.text).toBe('')
        expect(answer.headers.get('etag')).toBe(etag)
        expect(seconds).not.toBe(3000)
        answers.unchanged += 1
        continue
      }
      answers.changed += 1
      const page = JSON.parse(answer.text) as Page
      expect(page.more).toBe(false)
      // An old revocation on a later page would mean that the feed has started from the beginning.
      if (seconds > 300) expect(idsOf(page)).not.toContain(old)
      if (seconds === 3000) expect(idsOf(page)).toContain(newer)
      cursor = page.cursor
      etag = String(answer.headers.get('etag'))
    }
    expect(answers.unchanged).toBeGreaterThan(answers.changed * 2)
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

  it.each<[string, () => Record<string, string> | Promise<Record<string, string>>]>([
    ['no credentials', () => ({})],
    ['a wrong secret', () => basic({ ...resourceServer, client_secret: 'x'.repeat(53) })],
    ['an unknown client', () => basic({ ...resourceServer, client_id: 'key_AAAAAAAAAAAAAAAAAAAAAA' })],
    ['a token', () => ({ authorization: `Bearer ${resourceServer.client_secret}` })],
    [
      'a disabled client',
      async () => {
        const disabled = await createResourceServer(host)
        await host.gatehouse.apiKeys.disable(disabled.client_id)
        return basic(disabled)
      },
    ],
  ])(
    'the revocation feed answers a request with %s with the same 401 response as every failed authentication',
    async (_name, headers) => {
      const { status, headers: answered, text } = await ask(await headers())
      expect(status).toBe(401)
      expect(answered.get('www-authenticate')).toBe(`Basic realm="${host.issuer}"`)
      expect(answered.get('cache-control')).toBe('no-store')
      expect(JSON.parse(text)).toEqual({
        error: 'invalid_client',
        error_description: 'send client_id and client_secret of a resource server by HTTP Basic',
      })
    },
  )

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
    async function pollWithFault(call?: number) {
      const client = await createResourceServer(host)
      faulty.arm(call)
      return poll(host, client, invalidCursor(), { accept: 'text/html' })
    }

    const { status, text } = await pollWithFault()
    expect(status).toBe(200)
    expect(idsOf(JSON.parse(text) as Page)).toContain(token)
    const calls = [...faulty.calls]
    expect(calls.map((call) => call.replace(/:.*/, ''))).toEqual([
      'get client',
      'set secret-usage',
      'set client-usage',
      'range revocations',
      'range revocations',
    ])

    for (const call of calls.keys()) {
      const failed = await pollWithFault(call)
      // No response waits for the last use of the secret and of the key.
      if (/^set (secret|client)-usage/.test(calls[call] ?? '')) {
        expect(failed.status).toBe(200)
        continue
      }
      expect([failed.status, failed.headers.get('retry-after')]).toEqual([503, '1'])
      expect(JSON.parse(failed.text)).toMatchObject({ error: 'temporarily_unavailable' })
    }
  })
})
