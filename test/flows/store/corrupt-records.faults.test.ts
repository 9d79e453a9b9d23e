import { inspect } from 'node:util'
import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { redisStore } from 'koa-gatehouse/adapters/redis'
import { GatehouseError, type Store } from 'koa-gatehouse'
import { digest } from '../../../src/store/digest.ts'
import type { Browser } from '../../support/browser.ts'
import { describeWithRedis } from '../../support/describe-with-redis.ts'
import {
  authorizationUrl,
  authorize,
  connect,
  startHost,
  type Host,
  type HostOptions,
} from '../../support/host.ts'
import { basic } from '../../support/host-requests.ts'
import { startRedis, type RedisServer } from '../../support/redis-server.ts'
import { exportRegistry } from '../../../src/backup.ts'

const PREFIX = 'gatehouse:'
/** A text in every corrupt value. No log may contain this text. */
const CORRUPT_TEXT = 'corrupt-mark'

/** A stored key, and the data that Redis needs to restore the key. */
interface StoredKey {
  readonly key: string
  readonly type: string
  readonly ttl: number
  readonly dump: Buffer
  /** The value, if it is a string. */
  readonly text: string
}

describeWithRedis('corrupt records of gatehouse in Redis', () => {
  let redis: RedisServer
  let client: Redis
  let store: Store
  let port: number
  let snapshot: StoredKey[]
  let cookies: Browser['cookies']
  const logged: { details: Record<string, unknown>; message: string }[] = []
  const unhandled: unknown[] = []
  const record = (error: unknown) => void unhandled.push(error)
  const created = {} as {
    key: { client_id: string; client_secret: string }
    otherKey: { client_id: string; client_secret: string }
    application: { client_id: string; client_secret: string }
    server: { client_id: string; client_secret: string }
    refreshToken: string
    accessToken: string
    code: string
    consentPage: URL
  }

  async function open(options: HostOptions = {}): Promise<Host> {
    const log = (details: object, message: string) =>
      void logged.push({ details: details as Record<string, unknown>, message })
    store = redisStore(client)
    return startHost({
      store,
      ...options,
      gatehouse: {
        lifetimes: { authorizationCode: 300 },
        logger: { debug: log, info: log, warn: log, error: log },
      },
    })
  }

  beforeAll(async () => {
    // Names of indexes contain the time, so a name that is read must stay the present one.
    vi.useFakeTimers({ toFake: ['Date'] })
    process.on('unhandledRejection', record)
    redis = await startRedis()
    client = new Redis(redis.url)
    const host = await open()
    ;({ port } = host)
    created.key = await host.createApiKey()
    created.otherKey = await host.createApiKey()
    created.application = await host.createApplication()
    created.server = await host.createApiKey()
    await host.gatehouse.apiKeys.setResourceServer(created.server.client_id, true)
    for (const { client_id: clientId } of [created.key, created.otherKey]) {
      await host.token({
        client_id: clientId,
        client_secret: created.key.client_secret,
        grant_type: 'client_credentials',
      })
    }
    const browser = host.browser()
    const { grants } = host.gatehouse
    await grants.revokeAll({ accountId: 'alice' })
    const tokens = await connect(host, created.application, {
      browser,
      parameters: { scope: 'openid invoices:read offline_access' },
    })
    created.accessToken = tokens.access_token
    created.refreshToken = tokens.refresh_token
    created.code = (await authorize(host, created.application.client_id, { browser })).code
    const other = await host.createApplication()
    created.consentPage = (await browser.open(authorizationUrl(host, other.client_id))).url
    const revoked = await connect(host, other, { user: 'acme' })
    const [grant] = (await grants.list({ accountId: 'acme' })).items
    await grants.revoke(grant?.grantId ?? revoked.access_token)
    await host.gatehouse.apiKeys.delete((await host.createApiKey()).client_id)
    cookies = new Map(browser.cookies)
    await host.close()
    await store.close()
    snapshot = await takeSnapshot()
  })
  afterEach(() => void unhandled.splice(0))
  afterAll(async () => {
    vi.useRealTimers()
    process.off('unhandledRejection', record)
    client.disconnect()
    await redis.stop()
  })

  async function takeSnapshot(): Promise<StoredKey[]> {
    const keys = (await client.keys('*')).toSorted()
    return Promise.all(
      keys.map(async (key) => ({
        key,
        type: await client.type(key),
        ttl: Math.max(0, await client.pttl(key)),
        dump: await client.dumpBuffer(key),
        text: (await client.get(key).catch(() => '')) ?? '',
      })),
    )
  }

  /** Restores the snapshot, and applies one change. */
  async function restore(change?: (pipeline: ReturnType<Redis['pipeline']>) => void): Promise<void> {
    const pipeline = client.pipeline().flushall()
    for (const { key, ttl, dump } of snapshot) pipeline.restore(key, ttl, dump)
    change?.(pipeline)
    for (const [error] of (await pipeline.exec()) ?? []) if (error) throw error
  }

  /** Starts a new process and sends every request that reads a record. Returns the results by name. */
  async function requestAll() {
    logged.length = 0
    const host = await open({ port })
    const { gatehouse } = host
    const browser = host.browser()
    for (const [name, cookie] of cookies) browser.cookies.set(name, cookie)
    const direct = { grant_type: 'client_credentials' }
    const calls: Record<string, () => Promise<unknown>> = {
      'list API keys': () => gatehouse.apiKeys.list(),
      'list applications': () => gatehouse.applications.list(),
      'list by owner': () => gatehouse.apiKeys.listByOwner('acme'),
      find: () => gatehouse.apiKeys.find(created.key.client_id),
      change: () => gatehouse.apiKeys.update(created.key.client_id, { name: 'Other' }),
      'list grants': () => gatehouse.grants.list({ accountId: 'alice' }),
      keys: () => gatehouse.signingKeys.list(),
      reload: () => gatehouse.catalog.reload(),
      'revoke all': () => gatehouse.tokens.revokeAll({ clientId: created.server.client_id }),
      export: async () => {
        for await (const line of exportRegistry(gatehouse)) expect(line).not.toContain(CORRUPT_TEXT)
      },
      'revoke grants': () => gatehouse.grants.revokeAll({ accountId: 'alice' }),
      'account changed': () => gatehouse.accounts.changed('acme'),
      'audit list': () => gatehouse.audit.list(),
      'audit list of an account': () => gatehouse.audit.list({ accountId: 'acme' }),
      'audit read': async () => {
        for await (const { entry } of gatehouse.audit.read()) expect(entry.id).toBeTruthy()
      },
      'revoke account': () => gatehouse.tokens.revokeAll({ accountId: 'acme' }),
      delete: () => gatehouse.apiKeys.delete(created.key.client_id),
    }
    try {
      const start = await gatehouse.ready({ timeoutMs: 1000 }).then(
        () => undefined,
        (error: unknown) => error,
      )
      const headers = { authorization: `Bearer ${created.accessToken}` }
      const responses = {
        'direct token': await host.token({ ...created.key, ...direct }),
        'direct token of another client': await host.token({ ...created.otherKey, ...direct }),
        'user info': await host.post('/oauth2/userinfo', {}, headers),
        introspection: await host.post(
          '/oauth2/introspect',
          { token: created.refreshToken },
          basic(created.application),
        ),
        feed: await fetch(`${host.issuer}/oauth2/revocations`, {
          headers: basic(created.server),
        }).then(async ({ status, headers: responseHeaders }) => ({
          status,
          headers: responseHeaders,
          body: {} as Record<string, unknown>,
        })),
        code: await host.exchangeCode(created.application, created.code),
        refresh: await host.refresh(created.application, created.refreshToken),
        revocation: await host.post(
          '/oauth2/revoke',
          { token: created.refreshToken },
          basic(created.application),
        ),
      }
      const pages = {
        consent: await browser.open(created.consentPage),
        authorization: await browser.open(authorizationUrl(host, created.application.client_id)),
      }
      const outcomes: Record<string, unknown> = {}
      /** The number of items of each list. */
      const listed: Record<string, number> = {}
      for (const [name, call] of Object.entries(calls)) {
        outcomes[name] = await call().then(
          (answer) => {
            const { items } = Object(answer) as { items?: unknown[] }
            if (items) listed[name] = items.length
          },
          (error: unknown) => error,
        )
      }
      const { checks } = await gatehouse.health()
      return { start, responses, pages, outcomes, listed, checks, log: [...logged] }
    } finally {
      await host.close()
      await store.close()
    }
  }

  /**
   * Asserts three rules for every corrupt record. Error responses have an expected status and content type,
   * errors are a `GatehouseError`, and logs do not contain the corrupt value.
   */
  function expectProperFailures(
    { start, responses, pages, outcomes, log }: Awaited<ReturnType<typeof requestAll>>,
    name: string,
  ) {
    let failures = 0
    for (const [what, { status, headers, body }] of Object.entries(responses)) {
      const at = { what, status }
      expect([200, 400, 401, 403, 500, 503], inspect(at)).toContain(status)
      if (status >= 400) expect(headers.get('content-type'), inspect(at)).toMatch(/^application\/json/)
      if (status === 500)
        expect({ what, error: body['error'] ?? 'server_error' }).toEqual({ what, error: 'server_error' })
      if (status === 500) failures += 1
    }
    for (const [what, { status, headers, body }] of Object.entries(pages)) {
      expect([0, 200, 400, 500, 503], inspect({ what, status })).toContain(status)
      if (status >= 400) expect(headers.get('content-type')).toMatch(/^text\/html/)
      expect(body).not.toMatch(new RegExp(`${CORRUPT_TEXT}|ERR_|\\.ts:`))
      if (status === 500) failures += 1
    }
    for (const error of [start, ...Object.values(outcomes)]) {
      if (error === undefined) continue
      expect(error).toBeInstanceOf(GatehouseError)
      expect(['ERR_STORE_CORRUPT', 'ERR_NOT_READY', 'ERR_NOT_FOUND']).toContain(
        (error as GatehouseError).code,
      )
    }
    expect(unhandled).toEqual([])
    const text = inspect(log, { depth: 12 })
    expect(text).not.toContain(CORRUPT_TEXT)
    const records = [start, ...Object.values(outcomes), ...log.map(({ details }) => details['err'])].filter(
      (error): error is GatehouseError =>
        error instanceof GatehouseError && error.code === 'ERR_STORE_CORRUPT',
    )
    for (const { message } of records) expect(message).toContain(`"${name}`)
    if (failures > 0) expect(records, `${failures} failures`).not.toEqual([])
  }

  /** Asserts that the process logs a corrupt record once as an error, and that its health names the record. */
  function expectReport({ checks, log }: Awaited<ReturnType<typeof requestAll>>, name: string) {
    const check = checks.find((each) => each.name === 'store.records')
    expect(check).toMatchObject({ status: 'warn', remedy: expect.stringContaining('restore') })
    expect(check?.message).toContain(name)
    const errors = log.filter(({ message }) => message === 'the store has a corrupt record')
    expect(errors.filter(({ details }) => details['key'] === name)).toHaveLength(1)
    expect(inspect(checks)).not.toContain(CORRUPT_TEXT)
  }

  /** The names of the requests that were rejected or that failed. */
  function failedOf({ start, responses, pages, outcomes }: Awaited<ReturnType<typeof requestAll>>): string[] {
    const isRejected = ({ status }: { status: number }) => status >= 400
    return [
      ...(start === undefined ? [] : ['start']),
      ...Object.entries({ ...responses, ...pages }).flatMap(([what, answer]) =>
        isRejected(answer) ? what : [],
      ),
      ...Object.entries(outcomes).flatMap(([what, error]) => (error === undefined ? [] : what)),
    ]
  }

  /** Finds the first stored key of a kind whose name or value contains `part`. */
  function requireKey(kind: string, part: string): StoredKey {
    const found = snapshot.find(
      ({ key, text }) => key.startsWith(`${PREFIX}${kind}`) && (key + text).includes(part),
    )
    if (!found) throw new Error(`there is no ${kind} with ${part}`)
    return found
  }

  const ALL = [
    'start',
    'direct token',
    'direct token of another client',
    'user info',
    'introspection',
    'feed',
    'code',
    'refresh',
    'revocation',
    'consent',
    'authorization',
    'list API keys',
    'list applications',
    'list by owner',
    'find',
    'change',
    'list grants',
    'keys',
    'reload',
    'revoke all',
    'export',
    'revoke grants',
    'account changed',
    'audit list',
    'audit list of an account',
    'audit read',
    'revoke account',
    'delete',
  ]

  const sessionOfAlice = () => requireKey('session:', '"accountId":"alice"').key.split(':').at(-1) ?? ''
  const grantOf = (token: string) => token.split('.')[0] ?? ''

  /** The requests that fail if a record of a kind is corrupt. All other requests succeed. */
  const RECORDS: [kind: string, part: () => string, failing: readonly string[]][] = [
    [
      'client:',
      () => created.key.client_id,
      ['direct token', 'find', 'change', 'account changed', 'revoke account', 'delete'],
    ],
    [
      'client:',
      () => created.application.client_id,
      [
        'user info',
        'introspection',
        'code',
        'refresh',
        'revocation',
        'authorization',
        'account changed',
        'revoke account',
      ],
    ],
    // No request fails, because the next use of the client writes this record again.
    ['client-usage:', () => created.key.client_id, []],
    ['code:', () => digest(created.code), ['code']],
    [
      'grant:',
      () => grantOf(created.refreshToken),
      ['user info', 'introspection', 'refresh', 'revocation', 'revoke grants'],
    ],
    ['refresh-family:', () => grantOf(created.refreshToken), ['introspection', 'refresh', 'revocation']],
    ['consent:', () => 'granted', ['authorization']],
    ['interaction:', () => 'prompt', ['consent']],
    ['session:', () => '"accountId":"alice"', ['consent', 'authorization']],
    ['session-uid:', sessionOfAlice, ['consent']],
    ['consent-version:', () => '', ['code', 'consent', 'authorization']],
    // A process starts with its own products.
    ['catalog:', () => 'products', ['export']],
    // The entries around a corrupt chunk are read, and `missed` says that entries are missing.
    ['audit:changes:1', () => 'entries', []],
    // The search for the last chunk begins at the first chunk.
    ['audit:changes:head', () => '', []],
    ['signing-keys:', () => 'ring', ALL],
    ['signing-keys:', () => 'longest-lifetime', ALL],
    ['signing-keys:', () => 'longest-id-token', ALL],
  ]

  /** Corrupt values that replace a record. `undefined` is a value of another Redis type. */
  const VALUES: Record<string, (stored: StoredKey) => string | undefined> = {
    'of another type': () => undefined,
    truncated: ({ text }) => CORRUPT_TEXT + text.slice(0, text.length / 2),
    'with fields of other types': ({ text }) => JSON.stringify(withOtherTypes(JSON.parse(text))),
    'of a newer version': ({ text }) =>
      JSON.stringify({ ...(JSON.parse(text) as object), v: 99, [CORRUPT_TEXT]: 1 }),
  }

  it('without a corrupt record, every request succeeds', async () => {
    await restore()
    const all = await requestAll()
    expect(failedOf(all)).toEqual([])
    expectProperFailures(all, '')
    expect(all.checks).toContainEqual(expect.objectContaining({ name: 'store.records', status: 'pass' }))
    expect(all.pages.authorization.url.searchParams.get('code')).toBeTruthy()
  })

  it.each(RECORDS)(
    'requests that need a corrupt record %s fail with a reason, and all other requests succeed',
    async (kind, part, failing) => {
      const stored = requireKey(kind, part())
      const name = stored.key.slice(PREFIX.length)
      for (const [what, valueOf] of Object.entries(VALUES)) {
        const value = valueOf(stored)
        await restore((pipeline) => {
          pipeline.del(stored.key)
          if (value === undefined) pipeline.rpush(stored.key, CORRUPT_TEXT)
          else pipeline.set(stored.key, value)
        })
        const all = await requestAll()
        expect({ what, failed: failedOf(all) }).toEqual({ what, failed: failing })
        expectProperFailures(all, name)
        // A token request writes the last use again before a list reads it.
        if (kind !== 'client-usage:') expectReport(all, name)
      }
    },
  )

  /** The requests that fail if an index is a value of another Redis type. */
  const INDEXES: [index: string, failing: readonly string[]][] = [
    ['clients:apiKey', ['list API keys', 'export']],
    ['clients:apiKey:of:acme', ['list by owner', 'account changed', 'revoke account']],
    ['clients:application', ['list applications', 'export']],
    ['clients:deleted', ['export', 'delete']],
    [`grants:of:${digest('alice')}`, ['code', 'revocation', 'list grants', 'revoke grants']],
    [`grants:of:${digest('alice')}:`, ['code', 'revocation', 'list grants', 'revoke grants']],
    ['audit:changes:accountId:', ['audit list of an account']],
    ['revocations:recent:', ['revocation', 'revoke all', 'revoke grants', 'revoke account', 'delete']],
    ['revocations:buckets', ALL],
    ['revocations:buckets:', ALL],
  ]

  it.each(INDEXES)('corrupt members of the index %s are skipped and reported', async (index) => {
    await restore()
    const { listed } = await requestAll()
    const stored = requireKey(index, '')
    await restore((pipeline) => {
      for (const member of MEMBERS) pipeline.zadd(stored.key, 0, member)
    })
    const all = await requestAll()
    expect(failedOf(all)).toEqual([])
    expect(all.listed).toEqual(listed)
    // The buckets of a list of grants are read as one list, which the report names.
    const name = stored.key.slice(PREFIX.length).replace(/^(grants:of:[^:]+):.*/, '$1')
    expectProperFailures(all, name)
    expectReport(all, name)
  })

  it.each(INDEXES)(
    'requests that need the index %s fail with a reason if the index is of another Redis type, and all other requests succeed',
    async (index, failing) => {
      const stored = requireKey(index, '')
      await restore((pipeline) => pipeline.del(stored.key).rpush(stored.key, CORRUPT_TEXT))
      const all = await requestAll()
      expect(failedOf(all)).toEqual(failing)
      expectProperFailures(all, stored.key.slice(PREFIX.length))
      expectReport(all, stored.key.slice(PREFIX.length))
    },
  )
})

/** Corrupt members that sort before, between and after the intact members. */
const MEMBERS = [
  '',
  CORRUPT_TEXT,
  ':',
  '0',
  `1${CORRUPT_TEXT}`,
  '0000000000000:',
  '9999999999999:unknown',
  `zz${'x'.repeat(10_000)}`,
  '\u{10FFFF}',
]

/** A record of the same version in which every field has a value of another type. */
function withOtherTypes(record: Record<string, unknown>): object {
  const changed = Object.entries(record).map(([field, value]) => [
    field,
    field === 'v' ? value : otherType(value),
  ])
  return Object.fromEntries(changed) as object
}

function otherType(value: unknown): unknown {
  if (typeof value === 'string') return [CORRUPT_TEXT]
  if (typeof value === 'number') return CORRUPT_TEXT
  if (typeof value === 'boolean') return { [CORRUPT_TEXT]: value }
  return CORRUPT_TEXT
}
