import type { JWK } from 'jose'
import { Redis } from 'ioredis'
import type { Context, Next } from 'koa'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { redisStore } from 'koa-gatehouse/adapters/redis'
import type { Store } from 'koa-gatehouse'
import { deriveKey } from '../../../src/keys/derive-key.ts'
import { createKeyRingRecords } from '../../../src/keys/key-ring-record.ts'
import { createEncryption } from '../../../src/keys/encryption.ts'
import { digest } from '../../../src/store/digest.ts'
import { createGracePeriod, type LastRotation } from '../../../src/grants/refresh-tokens/grace-period.ts'
import { authorizationUrl, authorize, connect, startHost, type Host } from '../../support/host.ts'
import { findSecrets, type Secrets } from '../../support/find-secrets.ts'
import { dumpRedis, type DumpedKey } from '../../support/redis-dump.ts'
import { describeWithRedis } from '../../support/describe-with-redis.ts'
import { startRedis, type RedisServer } from '../../support/redis-server.ts'
import { exportRegistry } from '../../../src/backup.ts'

const GATEHOUSE_SECRET = 'the secret of this gatehouse, and it must stay secret'

/** Starts a host that records every secret in its requests and responses. */
async function startRecordingHost(store: Store) {
  const secrets: Secrets = new Map([['correct', 'password']])
  const record = (what: string, secret: string | undefined) => {
    if (secret !== undefined && secret.length > 6) secrets.set(secret, what)
  }

  async function recordExchange(ctx: Context, next: Next): Promise<void> {
    await next()
    const cookies = [ctx.headers.cookie?.split('; ') ?? [], ctx.response.headers['set-cookie'] ?? []].flat(2)
    for (const cookie of cookies) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      record(`cookie ${name}`, value)
    }
    const location = ctx.response.get('location') ?? ''
    record('code', /[?&]code=([^&]+)/.exec(location)?.[1])
    for (const address of [location, ctx.path, typeof ctx.body === 'string' ? ctx.body : '']) {
      for (const [, uid] of address.matchAll(/\/(?:interaction|authorize)\/([\w-]{8,})/g))
        record('interaction', uid)
      record('code', /[?&](?:amp;)?code=([\w-]+)/.exec(address)?.[1])
    }
    const answer = readAnswer(ctx.body)
    for (const token of ['access_token', 'refresh_token', 'id_token']) {
      if (typeof answer[token] === 'string') record(token, answer[token])
    }
  }

  const host = await startHost({
    store,
    above: [recordExchange],
    gatehouse: { secret: GATEHOUSE_SECRET, refreshTokenGraceSeconds: 60 },
  })
  return { host, secrets, record }
}

describeWithRedis('the data at rest', () => {
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
    const recording = await startRecordingHost(store)
    ;({ host, secrets } = recording)
    await runEveryFlow(recording)
    await recordKeys(store, secrets)
    exported = []
    for await (const line of exportRegistry(host.gatehouse)) exported.push(line)
    dump = await dumpRedis(redis)
  })
  afterAll(async () => {
    await host?.close()
    client?.disconnect()
    await redis?.stop()
  })

  /** The kind of record that a stored key holds, such as `session`. */
  const kindOf = (key: string) => /^gatehouse:([^:]+):/.exec(key)?.[1] ?? key

  it('the flows use every kind of secret and of record', () => {
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

  it('a dump of Redis contains no usable secret', () => {
    expect(findSecrets(dump, secrets)).toEqual([])
  })

  it('an exported registry with all clients and keys contains no usable secret', () => {
    const file = { key: 'exported', type: 'file', ttl: -1, values: [exported.join('')] }
    expect(exported.filter((line) => line.includes('"sealed":')).length).toBeGreaterThan(0)
    expect(exported.filter((line) => line.includes('"hash":"sha256:')).length).toBeGreaterThan(1)
    expect(findSecrets([file], secrets)).toEqual([])
    const [secret = ''] = [...secrets].find(([, what]) => what === 'client secret') ?? []
    const withSecret = { ...file, values: [exported.join('').replace('sha256:', secret)] }
    expect(findSecrets([withSecret], secrets)).toEqual(['client secret in exported'])
  })

  it('a dump and an old refresh token do not reveal the refresh token that replaced the old token', () => {
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
    expect(openedWith('a wrong guess of the secret')).toEqual(exchanges.map(() => undefined))
    // With the right secret the replacement can be read. This proves that the previous check would find a
    // readable replacement.
    for (const next of openedWith(GATEHOUSE_SECRET)) expect(tokens).toContain(next)
  })

  it('all stored keys expire except clients, their lists, the catalog, the signing keys and the revocation log', () => {
    const permanent = dump.filter(({ ttl }) => ttl === -1).map(({ key }) => kindOf(key))
    expect(new Set(permanent)).toEqual(
      new Set([
        'audit',
        'catalog',
        'client',
        'gatehouse:client-names',
        'client-usage',
        'clients',
        'revocations',
        'secret-owner',
        'signing-keys',
      ]),
    )
    expect(dump.filter(({ ttl }) => ttl > 400 * 86_400).map(({ key }) => key)).toEqual([])
    expect(dump.filter(({ key }) => !key.startsWith('gatehouse:'))).toEqual([])
  })

  it('findSecrets() finds a secret in each encoding, in keys and in values', () => {
    const [[secret, what] = ['', '']] = secrets
    const bytes = Buffer.from(secret)
    for (const text of [
      JSON.stringify({ v: 1, returnTo: `https://example.com/${secret}?x` }),
      bytes.toString('base64'),
      Buffer.from(`{"v":1,"secret":"${secret}"}`).toString('base64url'),
      Buffer.from(`[${secret}]`).toString('base64'),
      `00${bytes.toString('hex').toUpperCase()}00`,
    ]) {
      for (const planted of [
        { key: 'planted', values: ['x', text] },
        { key: text, values: ['x'] },
      ]) {
        const found = findSecrets([{ type: 'string', ttl: 1, ...planted }], new Map([[secret, what]]))
        expect(found, text).toHaveLength(1)
      }
    }
  })
})

/** The members of a response body in JSON. */
function readAnswer(body: unknown): Record<string, unknown> {
  if (typeof body !== 'string' || !body.startsWith('{')) return {}
  return JSON.parse(body) as Record<string, unknown>
}

/** Runs each flow once, and abandons some of the flows halfway. */
async function runEveryFlow({ host, record }: Awaited<ReturnType<typeof startRecordingHost>>) {
  const [key, application] = [await host.createApiKey(), await host.createApplication()]
  const direct = await host.requestDirectToken(key)
  await host.gatehouse.tokens.revoke(String(direct.body['access_token']))
  const { clientSecret } = await host.gatehouse.apiKeys.rotateSecret(key.client_id)
  for (const secret of [key.client_secret, application.client_secret, clientSecret])
    record('client secret', secret)

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

  // One code is never exchanged, and another code is exchanged twice.
  await authorize(host, application.client_id, { browser, parameters })
  const { code } = await authorize(host, application.client_id, { browser, parameters })
  for (let count = 0; count < 2; count += 1) {
    await host.exchangeCode(application, code)
  }

  // One flow stops at the sign-in page, and another flow stops at the consent page. Then a user signs in
  // again during a session, a user denies consent, and a flow with prompt=consent stops at the consent page.
  await host.browser().open(authorizationUrl(host, application.client_id))
  const bob = host.browser()
  const signIn = await bob.open(authorizationUrl(host, application.client_id))
  await bob.submit(signIn, { action: /sign-in/, change: { identifier: 'bob', password: 'correct' } })
  await authorize(host, application.client_id, { browser, parameters: { prompt: 'login' } })
  await authorize(host, application.client_id, { deny: true })
  await browser.open(authorizationUrl(host, application.client_id, { prompt: 'consent' }))

  await connect(host, application, { user: 'acme' })
  await host.gatehouse.grants.revokeAll({ accountId: 'acme' })

  // One user opens the sign-out page only, and another user signs out.
  await browser.open(`${host.issuer}/oauth2/logout`)
  const leaving = host.browser()
  const { id_token: hint = '' } = await connect(host, application, { browser: leaving, parameters })
  const signOut = await leaving.open(`${host.issuer}/oauth2/logout?id_token_hint=${hint}`)
  await leaving.submit(signOut, { change: { logout: 'yes' } })
}

/**
 * Records all members of the private keys in the store, the secret of gatehouse, and the keys that are
 * derived from this secret.
 */
async function recordKeys(store: Store, secrets: Secrets): Promise<void> {
  const ring = await createKeyRingRecords(
    store,
    createEncryption<JWK>([GATEHOUSE_SECRET], 'signing-keys'),
  ).read()
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
