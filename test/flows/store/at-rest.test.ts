import { Redis } from 'ioredis'
import type { Context, Next } from 'koa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { redisStore } from 'koa-gatehouse/adapters/redis'
import type { Store } from 'koa-gatehouse'
import { deriveKey } from '../../../src/keys/derive-key.ts'
import { createKeyRingRecords } from '../../../src/keys/key-ring-record.ts'
import { createKeyEncryption } from '../../../src/keys/key-encryption.ts'
import { digest } from '../../../src/store/digest.ts'
import { createGracePeriod, type LastRotation } from '../../../src/grants/refresh-tokens/grace-period.ts'
import { authorizationUrl, authorize, connect, startHost, type Host } from '../../support/host.ts'
import { dumpRedis, type DumpedKey } from '../../support/redis-dump.ts'
import { describeWithRedis } from '../../support/describe-with-redis.ts'
import { startRedis, type RedisServer } from '../../support/redis-server.ts'

const GATEHOUSE_SECRET = 'the secret of this gatehouse, nobody may find it'

/** What must not be found, and what it is. */
type Secrets = Map<string, string>

/** All ways in which a secret could stand in a text: as it is, its bytes in base64 or hex, its text in these. */
function writings(secret: string): string[] {
  const bytes = [Buffer.from(secret)]
  if (/^[\w-]{16,}$/.test(secret)) bytes.push(Buffer.from(secret, 'base64url'))
  return [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    ...bytes.flatMap((some) => [some.toString('hex'), some.toString('hex').toUpperCase(), ...inBase64(some)]),
  ]
}

/** Within a longer text, base64 looks different depending on where the bytes begin; the ends vary with what is beside. */
function inBase64(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64url')
      .slice(before && before + 1, -2)
    return [text, text.replaceAll('-', '+').replaceAll('_', '/')]
  })
}

/** Where a dump gives a secret away: `refresh token in session:…`. */
function findSecrets(dump: readonly DumpedKey[], secrets: Secrets): string[] {
  const needles = [...secrets].flatMap(([secret, what]) =>
    [...new Set(writings(secret))].map((text) => ({ text, what })),
  )
  return dump.flatMap(({ key, values }) => {
    const found = needles.filter(({ text }) => [key, ...values].some((place) => place.includes(text)))
    return [...new Set(found.map(({ what }) => `${what} in ${key}`))]
  })
}

/** A host that notes every secret that passes through it, from either side. */
async function startWatchedHost(store: Store) {
  const secrets: Secrets = new Map([['correct', 'password']])
  const note = (what: string, secret: string | undefined) => {
    if (secret !== undefined && secret.length > 6) secrets.set(secret, what)
  }

  async function watch(ctx: Context, next: Next): Promise<void> {
    await next()
    const cookies = [ctx.headers.cookie?.split('; ') ?? [], ctx.response.headers['set-cookie'] ?? []].flat(2)
    for (const cookie of cookies) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      note(`cookie ${name}`, value)
    }
    const location = ctx.response.get('location') ?? ''
    note('code', /[?&]code=([^&]+)/.exec(location)?.[1])
    for (const address of [location, ctx.path, typeof ctx.body === 'string' ? ctx.body : '']) {
      for (const [, uid] of address.matchAll(/\/(?:interaction|authorize)\/([\w-]{8,})/g))
        note('interaction', uid)
      note('code', /[?&](?:amp;)?code=([\w-]+)/.exec(address)?.[1])
    }
    const answer = readAnswer(ctx.body)
    for (const token of ['access_token', 'refresh_token', 'id_token']) {
      if (typeof answer[token] === 'string') note(token, answer[token])
    }
  }

  const host = await startHost({
    store,
    above: [watch],
    gatehouse: { secret: GATEHOUSE_SECRET, refreshTokenGraceSeconds: 60 },
  })
  return { host, secrets, note }
}

describeWithRedis('what is at rest', () => {
  let redis: RedisServer
  let client: Redis
  let host: Host
  let secrets: Secrets
  let dump: DumpedKey[]
  let exported: string[]

  beforeAll(async () => {
    redis = await startRedis()
    client = new Redis(redis.url)
    const store = redisStore(client)
    const watched = await startWatchedHost(store)
    ;({ host, secrets } = watched)
    await everythingThatHappens(watched)
    await noteKeys(store, secrets)
    exported = []
    for await (const line of host.gatehouse.exportRegistry()) exported.push(line)
    dump = await dumpRedis(redis)
  })
  afterAll(async () => {
    await host?.close()
    client?.disconnect()
    await redis?.stop()
  })

  /** What a key is about: `session`. */
  const kindOf = (key: string) => /^gatehouse:([^:]+):/.exec(key)?.[1] ?? key

  test('all that there is to find was there to be found', () => {
    expect(host.errors).toEqual([])
    expect(new Set([...secrets.values()].map((what) => what.replace(/ of .*/, '')))).toEqual(
      new Set([
        'password',
        'client secret',
        'code',
        'access_token',
        'refresh_token',
        'id_token',
        'interaction',
        'cookie gatehouse_session',
        'cookie gatehouse_session.sig',
        'cookie gatehouse_interaction.sig',
        'cookie gatehouse_resume.sig',
        ...['d', 'p', 'q', 'dp', 'dq', 'qi'].map((part) => `private key part ${part}`),
        'secret',
        'key for cookies',
        'key for csrf',
        'key for refresh-tokens',
        'key for refresh-retries',
        'key for signing-keys',
      ]),
    )
    const records = new Set(dump.map(({ key }) => kindOf(key)))
    for (const kind of [
      'session',
      'interaction',
      'code',
      'grant',
      'refresh-family',
      'signing-keys',
      'client',
    ]) {
      expect(records).toContain(kind)
    }
  })

  test('a dump of Redis gives nothing away that could be used', () => {
    expect(findSecrets(dump, secrets)).toEqual([])
  })

  test('nor does the registry when it is exported, though it has all clients and keys in it', () => {
    const file = { key: 'exported', type: 'file', ttl: -1, values: [exported.join('')] }
    expect(exported.filter((line) => line.includes('"sealed":')).length).toBeGreaterThan(0)
    expect(exported.filter((line) => line.includes('"hash":"sha256:')).length).toBeGreaterThan(1)
    expect(findSecrets([file], secrets)).toEqual([])
    const [secret = ''] = [...secrets].find(([, what]) => what === 'client secret') ?? []
    const spoilt = { ...file, values: [exported.join('').replace('sha256:', secret)] }
    expect(findSecrets([spoilt], secrets)).toEqual(['client secret in exported'])
  })

  test('what a refresh token was exchanged for is of no use to whoever has a dump, even with the old token', () => {
    const families = dump.filter(({ key }) => kindOf(key) === 'refresh-family')
    const records = families.map(({ values }) => JSON.parse(values[0] ?? '') as { last?: LastRotation })
    const exchanges = records.flatMap(({ last }) => last ?? [])
    expect(exchanges.length).toBeGreaterThan(0)
    const tokens = [...secrets].filter(([, what]) => what === 'refresh_token').map(([token]) => token)
    const openedWith = (secret: string) => {
      const keys = [deriveKey(secret, 'refresh-retries')]
      const retries = createGracePeriod({ seconds: 60, keys })
      return exchanges.map((last) => {
        const old = tokens.find((token) => digest(token) === last.of)
        return old && retries.successorOf(old, last, last.at)
      })
    }
    expect(openedWith('a guess of 32 bytes, which is none')).toEqual(exchanges.map(() => undefined))
    // It is what is thought to be there: whoever has the secret too can read it.
    for (const next of openedWith(GATEHOUSE_SECRET)) expect(tokens).toContain(next)
  })

  test('everything expires but clients, their lists, the products, the signing keys and the marks of what was there', () => {
    const staying = dump.filter(({ ttl }) => ttl === -1).map(({ key }) => kindOf(key))
    expect(new Set(staying)).toEqual(
      new Set(['catalog', 'client', 'client-usage', 'clients', 'revocations', 'signing-keys']),
    )
    for (const { key, ttl } of dump)
      expect({ key, inAYear: ttl <= 366 * 86_400 }).toEqual({ key, inAYear: true })
  })

  test('everything lies below the prefix of the store', () => {
    expect(dump.filter(({ key }) => !key.startsWith('gatehouse:'))).toEqual([])
  })

  test('the search finds each kind of secret, however it is written and wherever it stands', () => {
    const kinds = new Map([...secrets].map(([secret, what]) => [what, secret]))
    for (const [what, secret] of kinds) {
      const bytes = Buffer.from(secret)
      const written = {
        plain: secret,
        inJson: JSON.stringify({ v: 1, returnTo: `https://example.com/${secret}?x` }),
        inBase64: bytes.toString('base64'),
        inBase64OfMore: Buffer.from(`{"v":1,"secret":"${secret}"}`).toString('base64url'),
        inBase64OfALittleMore: Buffer.from(`[${secret}]`).toString('base64'),
        inHex: bytes.toString('hex'),
        inUpperHex: `00${bytes.toString('hex').toUpperCase()}00`,
      }
      for (const [how, text] of Object.entries(written)) {
        for (const planted of [
          { key: 'gatehouse:planted', values: ['x', text] },
          { key: `gatehouse:${text}`, values: ['x'] },
        ]) {
          const found = findSecrets(
            [...dump, { type: 'string', ttl: 1, ...planted }],
            new Map([[secret, what]]),
          )
          expect({ what, how, found: found.length }).toEqual({ what, how, found: 1 })
        }
      }
    }
  })
})

/** The fields of an answer, which is JSON text. */
function readAnswer(body: unknown): Record<string, unknown> {
  if (typeof body !== 'string' || !body.startsWith('{')) return {}
  return JSON.parse(body) as Record<string, unknown>
}

/** Each flow once, some of them left in the middle. */
async function everythingThatHappens({ host, note }: Awaited<ReturnType<typeof startWatchedHost>>) {
  const [key, application] = [await host.createApiKey(), await host.createApplication()]
  await host.token({ ...key, grant_type: 'client_credentials' })
  const { clientSecret } = await host.gatehouse.apiKeys.rotateSecret(key.client_id)
  for (const secret of [key.client_secret, application.client_secret, clientSecret])
    note('client secret', secret)

  const browser = host.browser()
  const parameters = { scope: 'openid profile email invoices:read payments:list', nonce: 'n-0S6_WzA2Mj' }
  let tokens = await connect(host, application, { browser, parameters })
  for (let count = 0; count < 2; count += 1) {
    const body = { ...application, grant_type: 'refresh_token', refresh_token: tokens.refresh_token }
    tokens = (await host.token(body)).body as unknown as typeof tokens
  }
  await fetch(`${host.issuer}/oauth2/userinfo`, {
    headers: { authorization: `Bearer ${tokens.access_token}` },
  })

  // A code that nobody exchanges, and one that is used twice.
  await authorize(host, application.client_id, { browser, parameters })
  const { code } = await authorize(host, application.client_id, { browser, parameters })
  for (let count = 0; count < 2; count += 1) {
    await host.token({ ...application, grant_type: 'authorization_code', code })
  }

  // In front of the sign-in page, in front of the consent page, signed in anew over a session, denied.
  await host.browser().open(authorizationUrl(host, application.client_id))
  const bob = host.browser()
  const signIn = await bob.open(authorizationUrl(host, application.client_id))
  await bob.submit(signIn, { action: /sign-in/, change: { identifier: 'bob', password: 'correct' } })
  await authorize(host, application.client_id, { browser, parameters: { prompt: 'login' } })
  await authorize(host, application.client_id, { deny: true })
  await browser.open(authorizationUrl(host, application.client_id, { prompt: 'consent' }))

  // In front of the sign-out page, and signed out.
  await browser.open(`${host.issuer}/oauth2/logout`)
  const leaving = host.browser()
  const { id_token: hint = '' } = await connect(host, application, { browser: leaving, parameters })
  const signOut = await leaving.open(`${host.issuer}/oauth2/logout?id_token_hint=${hint}`)
  await leaving.submit(signOut, { change: { logout: 'yes' } })
}

/** The private keys in the store, all that they consist of, and what protects them. */
async function noteKeys(store: Store, secrets: Secrets): Promise<void> {
  const ring = await createKeyRingRecords(store, createKeyEncryption([GATEHOUSE_SECRET])).read()
  for (const { kid, ...jwk } of ring?.keys.flatMap((key) => key.jwk ?? []) ?? []) {
    for (const part of ['d', 'p', 'q', 'dp', 'dq', 'qi'] as const) {
      const value = jwk[part]
      if (value !== undefined) secrets.set(value, `private key part ${part} of ${kid}`)
    }
  }
  secrets.set(GATEHOUSE_SECRET, 'secret of gatehouse')
  for (const purpose of ['cookies', 'csrf', 'refresh-tokens', 'refresh-retries', 'signing-keys'] as const) {
    secrets.set(deriveKey(GATEHOUSE_SECRET, purpose).toString('base64url'), `key for ${purpose}`)
  }
}
