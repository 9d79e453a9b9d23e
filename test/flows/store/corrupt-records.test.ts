import { inspect } from 'node:util'
import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
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
import { startRedis, type RedisServer } from '../../support/redis-server.ts'

const PREFIX = 'gatehouse:'
/** Stands in every foreign value, and must stand in no log. */
const MARK = 'foreign-mark'

/** A key with what Redis needs to put it back. */
interface Kept {
  readonly key: string
  readonly type: string
  readonly ttl: number
  readonly dump: Buffer
  /** Of a string. */
  readonly text: string
}

describeWithRedis('what others have put under our keys', () => {
  let redis: RedisServer
  let client: Redis
  let store: Store
  let port: number
  let snapshot: Kept[]
  let cookies: Browser['cookies']
  const told: { details: Record<string, unknown>; message: string }[] = []
  const unhandled: unknown[] = []
  const note = (error: unknown) => void unhandled.push(error)
  const has = {} as {
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
    const tell = (details: object, message: string) =>
      void told.push({ details: details as Record<string, unknown>, message })
    store = redisStore(client)
    return startHost({
      store,
      ...options,
      gatehouse: {
        lifetimes: { authorizationCode: 300 },
        logger: { debug: tell, info: tell, warn: tell, error: tell },
      },
    })
  }

  beforeAll(async () => {
    process.on('unhandledRejection', note)
    redis = await startRedis()
    client = new Redis(redis.url)
    const host = await open()
    ;({ port } = host)
    has.key = await host.createApiKey()
    has.otherKey = await host.createApiKey()
    has.application = await host.createApplication()
    has.server = await host.createApiKey()
    await host.gatehouse.apiKeys.setResourceServer(has.server.client_id, true)
    for (const { client_id: clientId } of [has.key, has.otherKey]) {
      await host.token({
        client_id: clientId,
        client_secret: has.key.client_secret,
        grant_type: 'client_credentials',
      })
    }
    const browser = host.browser()
    const { grants } = host.gatehouse
    await grants.revokeAll({ accountId: 'alice' })
    const tokens = await connect(host, has.application, {
      browser,
      parameters: { scope: 'openid invoices:read offline_access' },
    })
    has.accessToken = tokens.access_token
    has.refreshToken = tokens.refresh_token
    has.code = (await authorize(host, has.application.client_id, { browser })).code
    const other = await host.createApplication()
    has.consentPage = (await browser.open(authorizationUrl(host, other.client_id))).url
    const withdrawn = await connect(host, other, { user: 'acme' })
    const [grant] = (await grants.list({ accountId: 'acme' })).items
    await grants.revoke(grant?.grantId ?? withdrawn.access_token)
    await host.gatehouse.apiKeys.delete((await host.createApiKey()).client_id)
    cookies = new Map(browser.cookies)
    await host.close()
    await store.close()
    snapshot = await keep()
  })
  afterEach(() => void unhandled.splice(0))
  afterAll(async () => {
    process.off('unhandledRejection', note)
    client.disconnect()
    await redis.stop()
  })

  async function keep(): Promise<Kept[]> {
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

  /** Puts everything back as it was, but for one key. */
  async function arrange(change?: (pipeline: ReturnType<Redis['pipeline']>) => void): Promise<void> {
    const pipeline = client.pipeline().flushall()
    for (const { key, ttl, dump } of snapshot) pipeline.restore(key, ttl, dump)
    change?.(pipeline)
    for (const [error] of (await pipeline.exec()) ?? []) if (error) throw error
  }

  /** Asks for everything that reads something, at a process that starts anew; answers by name. */
  async function askAll() {
    told.length = 0
    const host = await open({ port })
    const { gatehouse } = host
    const basic = (of: { client_id: string; client_secret: string }) =>
      `Basic ${Buffer.from(`${of.client_id}:${of.client_secret}`).toString('base64')}`
    const browser = host.browser()
    for (const [name, cookie] of cookies) browser.cookies.set(name, cookie)
    const direct = { grant_type: 'client_credentials' }
    const called: Record<string, () => Promise<unknown>> = {
      'list API keys': () => gatehouse.apiKeys.list(),
      'list applications': () => gatehouse.applications.list(),
      'list by owner': () => gatehouse.apiKeys.listByOwner('acme'),
      find: () => gatehouse.apiKeys.find(has.key.client_id),
      change: () => gatehouse.apiKeys.rename(has.key.client_id, 'Other'),
      'list grants': () => gatehouse.grants.list({ accountId: 'alice' }),
      keys: () => gatehouse.signingKeys.list(),
      reload: () => gatehouse.catalog.reload(),
      'revoke all': () => gatehouse.tokens.revokeAll({ clientId: has.server.client_id }),
      export: async () => {
        for await (const line of gatehouse.exportRegistry()) expect(line).not.toContain(MARK)
      },
      'revoke grants': () => gatehouse.grants.revokeAll({ accountId: 'alice' }),
      'look at account': () => gatehouse.accounts.changed('acme'),
      'revoke of account': () => gatehouse.tokens.revokeAll({ accountId: 'acme' }),
      delete: () => gatehouse.apiKeys.delete(has.key.client_id),
    }
    try {
      const start = await gatehouse.ready({ timeoutMs: 1000 }).then(
        () => undefined,
        (error: unknown) => error,
      )
      const headers = { authorization: `Bearer ${has.accessToken}` }
      const asked = {
        direct: await host.token({ ...has.key, ...direct }),
        'direct of another': await host.token({ ...has.otherKey, ...direct }),
        'user info': await host.post('/oauth2/userinfo', {}, headers),
        introspection: await host.post(
          '/oauth2/introspect',
          { token: has.refreshToken },
          { authorization: basic(has.application) },
        ),
        feed: await fetch(`${host.issuer}/oauth2/revocations`, {
          headers: { authorization: basic(has.server) },
        }).then(async ({ status, headers: answered }) => ({
          status,
          headers: answered,
          body: {} as Record<string, unknown>,
        })),
        code: await host.token({ ...has.application, grant_type: 'authorization_code', code: has.code }),
        refresh: await host.token({
          ...has.application,
          grant_type: 'refresh_token',
          refresh_token: has.refreshToken,
        }),
        revocation: await host.post(
          '/oauth2/revoke',
          { token: has.refreshToken },
          { authorization: basic(has.application) },
        ),
      }
      const pages = {
        consent: await browser.open(has.consentPage),
        authorization: await browser.open(authorizationUrl(host, has.application.client_id)),
      }
      const outcomes: Record<string, unknown> = {}
      /** How many items there were, of lists. */
      const listed: Record<string, number> = {}
      for (const [name, call] of Object.entries(called)) {
        outcomes[name] = await call().then(
          (answer) => {
            const { items } = Object(answer) as { items?: unknown[] }
            if (items) listed[name] = items.length
          },
          (error: unknown) => error,
        )
      }
      return { start, asked, pages, outcomes, listed, log: [...told] }
    } finally {
      await host.close()
      await store.close()
    }
  }

  /** What must hold whatever lies where. */
  function expectProper(
    { start, asked, pages, outcomes, log }: Awaited<ReturnType<typeof askAll>>,
    name: string,
  ) {
    let failures = 0
    for (const [what, { status, headers, body }] of Object.entries(asked)) {
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
      expect(body).not.toMatch(new RegExp(`${MARK}|ERR_|\\.ts:`))
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
    expect(text).not.toContain(MARK)
    const records = [start, ...Object.values(outcomes), ...log.map(({ details }) => details['err'])].filter(
      (error): error is GatehouseError =>
        error instanceof GatehouseError && error.code === 'ERR_STORE_CORRUPT',
    )
    for (const { message } of records) expect(message).toContain(`"${name}`)
    if (failures > 0) expect(records, `${failures} failures`).not.toEqual([])
  }

  /** What was rejected or failed, by name. */
  function failedOf({ start, asked, pages, outcomes }: Awaited<ReturnType<typeof askAll>>): string[] {
    const isRejected = ({ status }: { status: number }) => status >= 400
    return [
      ...(start === undefined ? [] : ['start']),
      ...Object.entries({ ...asked, ...pages }).flatMap(([what, answer]) => (isRejected(answer) ? what : [])),
      ...Object.entries(outcomes).flatMap(([what, error]) => (error === undefined ? [] : what)),
    ]
  }

  /** The one key of a kind whose name or text has something in it. */
  function requireKey(kind: string, part: string): Kept {
    const found = snapshot.find(
      ({ key, text }) => key.startsWith(`${PREFIX}${kind}`) && (key + text).includes(part),
    )
    if (!found) throw new Error(`there is no ${kind} with ${part}`)
    return found
  }

  const ALL = [
    'start',
    'direct',
    'direct of another',
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
    'look at account',
    'revoke of account',
    'delete',
  ]

  const sessionOfAlice = () => requireKey('session:', '"accountId":"alice"').key.split(':').at(-1) ?? ''
  const grantOf = (token: string) => token.split('.')[0] ?? ''

  /** What fails where the record of a kind is foreign; everything else goes on. */
  const RECORDS: [kind: string, part: () => string, failing: readonly string[]][] = [
    [
      'client:',
      () => has.key.client_id,
      ['direct', 'find', 'change', 'look at account', 'revoke of account', 'delete'],
    ],
    [
      'client:',
      () => has.application.client_id,
      [
        'user info',
        'introspection',
        'code',
        'refresh',
        'revocation',
        'authorization',
        'look at account',
        'revoke of account',
      ],
    ],
    // Its next use writes it anew.
    ['client-usage:', () => has.key.client_id, []],
    ['code:', () => digest(has.code), ['code']],
    [
      'grant:',
      () => grantOf(has.refreshToken),
      ['user info', 'introspection', 'refresh', 'revocation', 'revoke grants'],
    ],
    ['refresh-family:', () => grantOf(has.refreshToken), ['introspection', 'refresh', 'revocation']],
    ['consent:', () => 'granted', ['authorization']],
    ['interaction:', () => 'prompt', ['consent']],
    ['session:', () => '"accountId":"alice"', ['consent', 'authorization']],
    ['session-uid:', sessionOfAlice, ['consent']],
    ['consent-version:', () => '', ['code', 'consent', 'authorization']],
    ['catalog:', () => 'products', ALL],
    ['signing-keys:', () => 'ring', ALL],
    ['signing-keys:', () => 'longest-lifetime', ALL],
    ['signing-keys:', () => 'longest-id-token', ALL],
  ]

  /** What others may have put in the place of a record. */
  const VALUES: Record<string, (kept: Kept) => string | undefined> = {
    'of another type': () => undefined,
    'cut off': ({ text }) => MARK + text.slice(0, text.length / 2),
    'of other fields': ({ text }) => JSON.stringify(upsideDown(JSON.parse(text))),
    'of a newer version': ({ text }) => JSON.stringify({ ...(JSON.parse(text) as object), v: 99, [MARK]: 1 }),
  }

  test('nothing fails where nothing is foreign', async () => {
    await arrange()
    const all = await askAll()
    expect(failedOf(all)).toEqual([])
    expectProper(all, '')
    expect(all.pages.authorization.url.searchParams.get('code')).toBeTruthy()
  })

  test.each(RECORDS)(
    '%s what needs a record that is foreign fails and says why, all else goes on',
    async (kind, part, failing) => {
      const kept = requireKey(kind, part())
      const name = kept.key.slice(PREFIX.length)
      for (const [what, valueOf] of Object.entries(VALUES)) {
        const value = valueOf(kept)
        await arrange((pipeline) => {
          pipeline.del(kept.key)
          if (value === undefined) pipeline.rpush(kept.key, MARK)
          else pipeline.set(kept.key, value)
        })
        const all = await askAll()
        expect({ what, failed: failedOf(all) }).toEqual({ what, failed: failing })
        expectProper(all, name)
      }
    },
  )

  /** The same of indexes, where something of another type lies there. */
  const INDEXES: [index: string, failing: readonly string[]][] = [
    ['clients:apiKey', ['list API keys', 'export']],
    ['clients:apiKey:of:acme', ['list by owner', 'look at account', 'revoke of account']],
    ['clients:application', ['list applications', 'export']],
    ['clients:deleted', ['export', 'delete']],
    [`grants:of:${digest('alice')}`, ['code', 'revocation', 'list grants', 'revoke grants']],
    ['revocations:recent:', ALL],
    ['revocations:buckets', ALL],
    ['revocations:until:', ALL],
  ]

  test.each(INDEXES)('%s foreign members are passed over', async (index) => {
    await arrange()
    const { listed } = await askAll()
    const kept = requireKey(index, '')
    await arrange((pipeline) => {
      for (const member of MEMBERS) pipeline.zadd(kept.key, 0, member)
    })
    const all = await askAll()
    expect(failedOf(all)).toEqual([])
    expect(all.listed).toEqual(listed)
    expectProper(all, kept.key)
  })

  test.each(INDEXES)(
    '%s of another type: what needs it fails and says why, all else goes on',
    async (index, failing) => {
      const kept = requireKey(index, '')
      await arrange((pipeline) => pipeline.del(kept.key).rpush(kept.key, MARK))
      const all = await askAll()
      expect(failedOf(all)).toEqual(failing)
      expectProper(all, kept.key.slice(PREFIX.length))
    },
  )
})

/** Members that are none of ours: before, between and after those that are. */
const MEMBERS = [
  '',
  MARK,
  ':',
  '0',
  `1${MARK}`,
  '0000000000000:',
  '9999999999999:nobody',
  `zz${'x'.repeat(10_000)}`,
  '\u{10FFFF}',
]

/** A record of the same version, in which no field holds what it held. */
function upsideDown(record: Record<string, unknown>): object {
  const turned = Object.entries(record).map(([field, value]) => [field, field === 'v' ? value : turn(value)])
  return Object.fromEntries(turned) as object
}

function turn(value: unknown): unknown {
  if (typeof value === 'string') return [MARK]
  if (typeof value === 'number') return MARK
  if (typeof value === 'boolean') return { [MARK]: value }
  return MARK
}
