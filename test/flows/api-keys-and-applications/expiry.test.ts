import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { createGateway } from 'koa-gatehouse/gateway'
import { products } from '../../fixtures/products.ts'
import { exportRegistry, importRegistry } from '../../../src/backup.ts'
import { connect, startHost, type Host } from '../../support/host.ts'
import type { Client } from '../../support/host-requests.ts'
import { startManagement, type ManagementHost } from '../management/setup.ts'

const DAY = 86_400
const nowSeconds = () => Math.floor(Date.now() / 1000)
const isoOf = (seconds: number) => new Date(seconds * 1000).toISOString().replace('.000Z', 'Z')
const claimsOf = (token: unknown) =>
  JSON.parse(Buffer.from(String(token).split('.')[1] ?? '', 'base64url').toString()) as Record<string, number>

/** Moves the clock of all processes to just after a second. */
function moveTo(seconds: number): void {
  vi.useFakeTimers({ toFake: ['Date'] })
  vi.setSystemTime(seconds * 1000 + 20)
}

describe('the expiry of a client', () => {
  let host: Host
  beforeAll(async () => {
    host = await startHost()
  })
  afterAll(() => host.close())
  afterEach(() => void vi.useRealTimers())

  const serviceOf = ({ client_id: id }: Client) =>
    id.startsWith('key_') ? host.gatehouse.apiKeys : host.gatehouse.applications
  const expire = (client: Client, expiresAt: number | null, target = host) => {
    const { apiKeys, applications } = target.gatehouse
    return (client.client_id.startsWith('key_') ? apiKeys : applications).update(client.client_id, {
      expiresAt,
    })
  }

  it.each([
    ['the fast path', {}],
    ['oidc-provider', { extra: 'parameter' }],
  ])('no token of an API key outlives it: %s', async (_what, parameters) => {
    const key = await host.createApiKey()
    const expiresAt = nowSeconds() + 100
    await expire(key, expiresAt)
    const { body } = await host.requestDirectToken(key, parameters)
    expect(claimsOf(body['access_token'])['exp']).toBe(expiresAt)
    expect(body['expires_in']).toBeLessThanOrEqual(100)
    expect(body['expires_in']).toBeGreaterThan(90)
  })

  it('no token of an application outlives it, neither from a code nor from a refresh token', async () => {
    const application = await host.createApplication()
    const expiresAt = nowSeconds() + 100
    await expire(application, expiresAt)
    const tokens = await connect(host, application)
    expect(claimsOf(tokens.access_token)['exp']).toBe(expiresAt)
    const refreshed = await host.refresh(application, tokens.refresh_token)
    expect(claimsOf(refreshed.body['access_token'])['exp']).toBe(expiresAt)
    expect(refreshed.body['expires_in']).toBeLessThanOrEqual(100)
  })

  it('a token has its usual lifetime if the client expires later', async () => {
    const key = await host.createApiKey()
    await expire(key, nowSeconds() + 100 * DAY)
    const { body } = await host.requestDirectToken(key)
    expect(body['expires_in']).toBe(10 * DAY)
  })

  it('an expired client is rejected as if it did not exist, and its grants stay', async () => {
    const [key, application] = [await host.createApiKey(), await host.createApplication()]
    const tokens = await connect(host, application)
    const unknown = await host.requestDirectToken({ client_id: 'key_unknown', client_secret: 'a'.repeat(20) })
    const at = nowSeconds() + 60
    await Promise.all([expire(key, at), expire(application, at)])
    // Moving the expiry of the application has revoked its token, and not its grant.
    const refreshed = await host.refresh(application, tokens.refresh_token)
    expect(refreshed.status).toBe(200)
    const direct = await host.requestDirectToken(key)
    moveTo(at)
    for (const answer of [
      await host.requestDirectToken(key),
      await host.requestDirectToken(key, { extra: 'parameter' }),
      await host.refresh(application, refreshed.body['refresh_token']),
    ]) {
      expect([answer.status, answer.body]).toEqual([unknown.status, unknown.body])
    }
    expect((await host.call('GET /invoices/list', String(direct.body['access_token']))).status).toBe(401)
    expect((await host.introspect(key, String(direct.body['access_token']))).status).toBe(401)
    const page = await host
      .browser()
      .open(new URL(`${host.issuer}/oauth2/authorize?client_id=${application.client_id}&response_type=code`))
    expect(page.status).toBe(400)

    await expire(application, nowSeconds() + 100)
    const again = await host.refresh(application, refreshed.body['refresh_token'])
    expect(again.status).toBe(200)
    await expire(key, null)
    expect((await host.requestDirectToken(key)).body['expires_in']).toBe(10 * DAY)
  })

  it('an expiry that is not valid is rejected, and nothing is changed', async () => {
    const key = await host.createApiKey()
    const application = await host.createApplication()
    const now = nowSeconds()
    for (const [expiresAt, code] of [
      [now - 1, 'too-early'],
      [now, 'too-early'],
      [0, 'too-early'],
      [-1, 'too-early'],
      [Number.NaN, 'type'],
      [Infinity, 'type'],
      [now + 60.5, 'type'],
      [Date.now() + 1000, 'too-late'],
      [now + 101 * 366 * DAY, 'too-late'],
      ['2030-01-01', 'type'],
      [new Date(Date.now() + 60_000), 'type'],
    ] as [never, string][]) {
      const rejection = expect.objectContaining({
        code: 'ERR_INVALID_ARGUMENT',
        problems: [expect.objectContaining({ path: 'expiresAt', code })],
      })
      for (const client of [key, application])
        await expect(expire(client, expiresAt), String(expiresAt)).rejects.toEqual(rejection)
      await expect(
        host.gatehouse.apiKeys.create({ accountId: 'acme', name: 'New', expiresAt }),
      ).rejects.toEqual(rejection)
    }
    expect(await serviceOf(key).find(key.client_id)).not.toHaveProperty('expiresAt')
  })

  it('a client that expires during a request gets a token that has expired, and keeps its refresh token', async () => {
    let answer = async () => {}
    const accounts = { find: async (id: string) => answer().then(() => ({ id, kycLevel: 'verified' })) }
    const slow = await startHost({
      gatehouse: { accounts: { ...accounts, authenticate: () => ({ accountId: 'alice' }) } },
    })
    try {
      const [key, application] = [await slow.createApiKey(), await slow.createApplication()]
      const tokens = await connect(slow, application)
      const expiresAt = nowSeconds() + 60
      await Promise.all([expire(key, expiresAt, slow), expire(application, expiresAt, slow)])
      const answers = []
      for (const request of [
        () => slow.refresh(application, tokens.refresh_token),
        () => slow.requestDirectToken(key),
        () => slow.requestDirectToken(key, { extra: 'parameter' }),
      ]) {
        vi.useRealTimers()
        answer = async () => moveTo(expiresAt)
        answers.push(await request())
      }
      for (const { status, body } of answers) {
        expect([status, body['expires_in']]).toEqual([200, 1])
        expect(claimsOf(body['access_token'])['exp']).toBe(expiresAt)
      }
      answer = async () => {}
      await expire(application, nowSeconds() + 100, slow)
      expect((await slow.refresh(application, answers[0]?.body['refresh_token'])).status).toBe(200)
      expect(slow.errors).toEqual([])
    } finally {
      await slow.close()
    }
  })

  it('an id that no client has is not stored', async () => {
    const store = memoryStore()
    const other = await startHost({ store })
    try {
      for (const id of ['gatehouse_secret', '', 'a b%', 'app_unknown']) {
        const change = other.gatehouse.apiKeys.update(id, { expiresAt: nowSeconds() + DAY })
        await expect(change).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
      }
      expect(await store.range('clients:expiry', { limit: 10 })).toEqual([])
    } finally {
      await other.close()
    }
  })

  it('a gateway in another process rejects the token at the second of the expiry', async () => {
    const key = await host.createApiKey()
    const server = await host.gatehouse.apiKeys.create({
      accountId: 'acme',
      name: 'API',
      resourceServer: true,
    })
    const gateway = createGateway({
      issuer: host.issuer,
      audience: host.audience,
      products,
      revocations: { clientId: server.apiKey.clientId, clientSecret: server.clientSecret },
    })
    try {
      await gateway.ready()
      const at = nowSeconds() + 60
      await expire(key, at)
      const { body } = await host.requestDirectToken(key)
      const jwt = String(body['access_token'])
      const check = async () => {
        const headers = { authorization: `Bearer ${jwt}` }
        const found = await gateway.authenticate({ method: 'GET', url: '/api/invoices/list', headers })
        return 'status' in found ? found.status : 'accepted'
      }
      expect(await check()).toBe('accepted')
      moveTo(at)
      expect(await check()).toBe(401)
    } finally {
      await gateway.close()
    }
  })

  it('the service itself gives the notice of an expiry, once, without a call of the host', async () => {
    const store = memoryStore()
    const first = await startHost({ store })
    const { apiKey } = await first.gatehouse.apiKeys.create({
      accountId: 'acme',
      name: 'Key',
      expiresAt: nowSeconds() + 60,
    })
    // A process looks for notices when it starts.
    moveTo(nowSeconds() + 60)
    const second = await startHost({ store })
    const given: string[] = []
    second.gatehouse.on('client.expired', ({ clientId }) => given.push(clientId))
    await second.gatehouse.ready()
    await vi.waitFor(() => expect(given).toEqual([apiKey.clientId]))
    const { items } = await second.gatehouse.audit.list({ clientId: apiKey.clientId })
    expect(items.filter(({ name }) => name.startsWith('client.expir'))).toHaveLength(1)
    await Promise.all([first.close(), second.close()])
  })

  it('an export has the expiry, and an import keeps it', async () => {
    const key = await host.createApiKey()
    const expiresAt = nowSeconds() + 10 * DAY
    await expire(key, expiresAt)
    const lines: string[] = []
    for await (const line of exportRegistry(host.gatehouse)) lines.push(line)
    const other = await startHost()
    try {
      await importRegistry(other.gatehouse, lines, { signingKeys: false })
      expect(await other.gatehouse.apiKeys.find(key.client_id)).toMatchObject({ expiresAt })
    } finally {
      await other.close()
    }
  })

  describe('a policy', () => {
    const policies: Host[] = []
    afterEach(() => Promise.all(policies.splice(0).map((each) => each.close())))
    async function withPolicy(keyPolicy: object, store = memoryStore()) {
      const started = await startHost({ store, gatehouse: { keyPolicy } })
      policies.push(started)
      const create = async (input: object = {}) =>
        (await started.gatehouse.apiKeys.create({ accountId: 'acme', name: 'Key', ...input })).apiKey
      return { ...started, create }
    }

    it('sets the expiry of a new client, unless its creator does', async () => {
      const { create, gatehouse } = await withPolicy({ defaultDays: 30 })
      expect((await create()).expiresAt).toBeCloseTo(nowSeconds() + 30 * DAY, -1)
      const expiresAt = nowSeconds() + 500 * DAY
      expect((await create({ expiresAt })).expiresAt).toBe(expiresAt)
      expect((await create({ expiresAt: null })).expiresAt).toBeUndefined()
      const { application } = await gatehouse.applications.create({ accountId: 'acme', name: 'App' })
      expect(application.expiresAt).toBeCloseTo(nowSeconds() + 30 * DAY, -1)
      const changed = await gatehouse.applications.update(application.clientId, { expiresAt: null })
      expect(changed.expiresAt).toBeUndefined()
    })

    it('limits how far an expiry is ahead, at the creation and at each change', async () => {
      const { create, gatehouse } = await withPolicy({ maxAgeDays: 90 })
      const key = await create()
      expect(key.expiresAt).toBeCloseTo(nowSeconds() + 90 * DAY, -1)
      const tooLate = expect.objectContaining({
        problems: [
          { path: 'expiresAt', code: 'too-late', message: 'must be at most 90 days ahead', max: 90 },
        ],
      })
      const late = nowSeconds() + 92 * DAY
      await expect(create({ expiresAt: late })).rejects.toEqual(tooLate)
      await expect(gatehouse.apiKeys.update(key.clientId, { expiresAt: late })).rejects.toEqual(tooLate)
      const required = expect.objectContaining({
        problems: [expect.objectContaining({ path: 'expiresAt', code: 'required' })],
      })
      await expect(gatehouse.apiKeys.update(key.clientId, { expiresAt: null })).rejects.toEqual(required)
      await expect(create({ expiresAt: null })).rejects.toEqual(required)
    })

    it('requires an expiry, and cuts off no client that exists', async () => {
      const store = memoryStore()
      const before = await withPolicy({}, store)
      const client = await before.createApiKey()
      const { create, gatehouse, requestDirectToken } = await withPolicy({ required: true }, store)
      await expect(create()).rejects.toMatchObject({ problems: [{ path: 'expiresAt', code: 'required' }] })
      expect((await create({ expiresAt: nowSeconds() + DAY })).expiresAt).toBeDefined()
      expect((await requestDirectToken(client)).status).toBe(200)
      // Other changes do not need an expiry.
      await gatehouse.apiKeys.update(client.client_id, { name: 'Renamed' })
    })

    it('that is not valid is rejected at the start', async () => {
      for (const keyPolicy of [
        { maxAgeDays: 0 },
        { maxAgeDays: 1.5 },
        { defaultDays: 100, maxAgeDays: 90 },
        { required: 'yes' },
        { maxDays: 1 },
      ]) {
        await expect(startHost({ gatehouse: { keyPolicy: keyPolicy as never } })).rejects.toMatchObject({
          code: 'ERR_OPTIONS',
        })
      }
    })
  })
})

describe('the expiry in the management API', () => {
  let host: ManagementHost
  beforeAll(async () => {
    host = await startManagement({ store: memoryStore(), gatehouse: { keyPolicy: { maxAgeDays: 365 } } })
  })
  afterAll(() => host.close())

  it.each(['api-keys', 'applications'])('%s: it is set, moved, and shown', async (section) => {
    const { call } = host.api('acme')
    const at = isoOf(nowSeconds() + 100 * DAY)
    const created = await call(`POST /${section}`, { name: 'Short', expiresAt: at })
    expect(created.status).toBe(201)
    const client = created.body.apiKey ?? created.body.application
    expect(client.expiresAt).toBe(at)
    const path = `/${section}/${client.clientId}`
    const moved = isoOf(nowSeconds() + 50 * DAY)
    // 14:00 in Kolkata.
    const changed = await call(`PATCH ${path}`, { name: 'Shorter', expiresAt: moved.replace('Z', '+00:00') })
    expect(changed.body).toMatchObject({ name: 'Shorter', expiresAt: moved })
    expect((await call(`GET ${path}`)).body.expiresAt).toBe(moved)
    const list = await call(`GET /${section}`)
    expect(list.body.items[0].expiresAt).toBe(moved)
    const audit = await call('GET /audit')
    const [entry] = audit.body.items
    expect(entry).toMatchObject({ name: 'client.changed', change: 'name,expiresAt', target: moved })
  })

  it('an expiry that is not valid is answered with 422 and its path', async () => {
    const { call } = host.api('acme')
    const { body } = await call('POST /api-keys', { name: 'Key' })
    for (const [expiresAt, code] of [
      ['2001-01-01T00:00:00Z', 'too-early'],
      [isoOf(nowSeconds() + 400 * DAY), 'too-late'],
      ['tomorrow', 'type'],
      ['2030-01-01T00:00:00+05', 'type'],
      [nowSeconds() + DAY, 'type'],
      [null, 'required'],
    ] as const) {
      for (const [target, name] of [
        ['POST /api-keys', undefined],
        [`PATCH /api-keys/${body.apiKey.clientId}`, undefined],
        ['POST /applications', ''],
      ] as const) {
        if (expiresAt === null && target.startsWith('POST')) continue
        const answer = await call(target, { name: name ?? 'Key', expiresAt })
        expect([answer.status, answer.body.errors], `${target} ${expiresAt}`).toEqual([
          422,
          expect.arrayContaining([expect.objectContaining({ path: 'expiresAt', code })]),
        ])
      }
    }
  })
})
