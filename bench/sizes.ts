/**
 * Measures with MEMORY USAGE how many bytes each kind of record takes in Redis: API keys, applications,
 * sessions, grants and all others. If lists contain a record, its bytes include its share of these lists. One
 * grant is refreshed every hour for 90 days, with and without `refreshTokenGraceSeconds`. The clock is set
 * forward for this. The measurement fails if a grant with all its keys takes 4 KiB or more, if it grows with
 * its refreshes, or if a key lacks its expiry. It starts its own Redis. `node bench/sizes.ts` runs for about
 * 30 seconds, and needs Node 22.18 or later.
 */
import { Redis } from 'ioredis'
import { redisStore } from '../adapters/redis.ts'
import { createBrowser, type Browser, type Page } from '../test/support/browser.ts'
import { freePort } from '../test/support/free-port.ts'
import {
  byKind,
  bytesOf,
  forgottenExpiries,
  keysInRedis,
  keysOfGrant,
  passTime,
} from '../test/support/keys-in-redis.ts'
import { startRedis } from '../test/support/redis-server.ts'
import { replaceClock } from './clock.ts'
import { ACCOUNT_COOKIE } from './authorize.ts'
import { CALLBACK, SCOPES, startHost, type MeasuredHost } from './host.ts'

const OWNERS = 50
const CLIENTS_PER_OWNER = 10
const USERS = 200
const REVOCATIONS = 500
const HOUR_MS = 3_600_000
/** The numbers of hourly refreshes after which the grant is measured: none, a day, 30 days and 90 days. */
const MEASURED_AFTER = [0, 24, 720, 2160]
/** The limit for the bytes of a grant with all its keys. */
const LIMIT_BYTES = 4096
/**
 * The bytes by which a grant may differ from day to day. Its counters gain digits. In its second month, two
 * lists of the account contain the grant, because each list covers one month of expiry dates.
 */
const TOLERANCE_BYTES = 256

interface Client {
  readonly client_id: string
  readonly client_secret: string
}

interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
}

const failures: string[] = []
const figures: Record<string, { bytes: number; 'made of': string }> = {}

const server = await startRedis()
const redis = new Redis(server.url)
const { host, close } = await open('gatehouse:', 0)

const before = await measure()
await measureClients('API key', createApiKey)
const application = await measureClients('application', createApplication)
await measureAuthorizations(application)
await measureRevocations()
await measureRemains()
console.table(figures)

for (const seconds of [0, 10]) await measureRefreshes(seconds)

const permanent = byKind((await keysInRedis(redis)).filter(({ ttl }) => ttl === -1))
console.log('Without an expiry:')
console.table(Object.fromEntries([...permanent].map(([kind, ofKind]) => [kind, { keys: ofKind.count }])))
for (const { name, kind } of forgottenExpiries(await keysInRedis(redis))) {
  failures.push(`a key without an expiry: ${kind} (${name.slice(0, 40)})`)
}

const version = /redis_version:(\S+)/.exec(await redis.info('server'))?.[1]
await close()
redis.disconnect()
await server.stop()
for (const failure of failures) console.log(`FAILED: ${failure}`)
console.log(`Redis ${version}, Node ${process.version}`)
process.exit(failures.length === 0 ? 0 : 1)

/** Opens a host with its own Redis client and key prefix, so that its keys can be distinguished. */
async function open(keyPrefix: string, refreshTokenGraceSeconds: number) {
  const client = new Redis(server.url)
  const store = redisStore(client, { keyPrefix })
  const made = await startHost({ store, port: await freePort(), gatehouse: { refreshTokenGraceSeconds } })
  return {
    host: made,
    async close() {
      await made.close()
      await store.close()
      client.disconnect()
    },
  }
}

async function measure(): Promise<Map<string, { count: number; bytes: number }>> {
  return byKind(await keysInRedis(redis))
}

/** Records the bytes of some kinds of keys, divided by `count`. */
function record(
  what: string,
  count: number,
  kinds: Awaited<ReturnType<typeof measure>>,
  ...names: string[]
): void {
  const parts = names.map((name) => [name, (kinds.get(name)?.bytes ?? 0) / count] as const)
  const all = parts.filter(([, bytes]) => bytes > 0)
  figures[what] = {
    bytes: Math.round(all.reduce((sum, [, bytes]) => sum + bytes, 0)),
    'made of': all.map(([name, bytes]) => `${name} ${Math.round(bytes)}`).join(' + '),
  }
}

/** Creates clients of 50 owners, requests a token for each API key, and measures what Redis stores for this. */
async function measureClients(what: string, create: (owner: string) => Promise<Client>): Promise<Client> {
  const [earlier, made] = [await measure(), [] as Client[]]
  for (let owner = 0; owner < OWNERS; owner += 1) {
    const some = Array.from({ length: CLIENTS_PER_OWNER }, () => create(`developer-${owner}`))
    made.push(...(await Promise.all(some)))
  }
  if (create === createApiKey) {
    for (const client of made) await requestToken(host, client, { grant_type: 'client_credentials' })
  }
  const now = await measure()
  const added = [...now].map(([kind, { count, bytes }]) => {
    const before = earlier.get(kind) ?? { count: 0, bytes: 0 }
    return [kind, { count: count - before.count, bytes: bytes - before.bytes }] as const
  })
  const kinds = [
    'client',
    'client-usage',
    'secret-owner',
    'list of all clients',
    "list of an account's clients",
  ]
  record(what, made.length, new Map(added), ...kinds)
  const [first] = made
  if (!first) throw new Error('no client')
  return first
}

async function createApiKey(accountId: string): Promise<Client> {
  const { apiKey, clientSecret } = await host.gatehouse.apiKeys.create({
    accountId,
    name: 'Nightly export',
    products: ['invoices', 'payments'],
  })
  return { client_id: apiKey.clientId, client_secret: clientSecret }
}

async function createApplication(accountId: string): Promise<Client> {
  return createApplicationAt(host, accountId)
}

async function createApplicationAt(measured: MeasuredHost, accountId: string): Promise<Client> {
  const { application: made, clientSecret } = await measured.gatehouse.applications.create({
    accountId,
    name: 'Ledger',
    products: ['invoices', 'payments'],
    redirectUris: [CALLBACK],
  })
  return { client_id: made.clientId, client_secret: clientSecret }
}

/** Runs sign-in, consent and the code exchange for several users, and measures each step. */
async function measureAuthorizations(client: Client): Promise<void> {
  const users = Array.from({ length: USERS }, (_, index) => createUser(host, `user-${index}`))
  const pages: Page[] = []
  for (const user of users) pages.push(await user.open(authorizationUrl(host, client)))
  record('pending interaction', USERS, await measure(), 'interaction')

  const codes: string[] = []
  for (const [index, user] of users.entries()) codes.push(await consent(user, pages[index]))
  const asCodes = await measure()
  record('code, with its grant until it is exchanged', USERS, asCodes, 'code', 'grant')
  record('stored consent', USERS, asCodes, 'consent')
  record('session', USERS, asCodes, 'session', 'session-uid')

  for (const code of codes) await requestToken(host, client, { grant_type: 'authorization_code', code })
  const lists = ["list of an account's grants: its buckets", "list of an account's grants: a bucket"]
  record('grant in use, with its refresh token', USERS, await measure(), 'grant', 'refresh-family', ...lists)
}

async function measureRevocations(): Promise<void> {
  const key = await createApiKey('developer-0')
  for (let count = 0; count < REVOCATIONS; count += 1) {
    const { access_token: token } = await requestToken(host, key, { grant_type: 'client_credentials' })
    await host.gatehouse.tokens.revoke(token)
  }
  const names = ['revocations by their end', 'revocations by their making', 'revocations: buckets']
  record('revoked token', REVOCATIONS, await measure(), ...names)
  const all = await measure()
  for (const kind of ['key ring', 'catalog']) record(`${kind}, once`, before.get(kind)?.count ?? 1, all, kind)
}

/** Measures what remains of a deleted API key, and of an account whose grants were all revoked. */
async function measureRemains(): Promise<void> {
  const { apiKeys, grants } = host.gatehouse
  const keys: string[] = []
  for (let count = 0; count < OWNERS; count += 1) {
    const { client_id: clientId } = await createApiKey('developer-0')
    await apiKeys.delete(clientId)
    keys.push(clientId)
  }
  const isOfKeys = (name: string) => name === 'clients:deleted' || keys.includes(name.slice('client:'.length))
  const ofKeys = (await keysInRedis(redis)).filter(({ name }) => isOfKeys(name))
  record('deleted API key', keys.length, byKind(ofKeys), 'client', 'list of deleted clients')

  const revoked: string[] = []
  for (let user = 0; user < OWNERS; user += 1) {
    const accountId = `user-${user}`
    revoked.push(...(await grants.list({ accountId })).items.map(({ grantId }) => grantId))
    await grants.revokeAll({ accountId })
  }
  const after = await keysInRedis(redis)
  const revokedKeys = after.filter(({ name }) => revoked.some((grantId) => name.endsWith(`:${grantId}`)))
  record('revoked grant, for a day', revoked.length, byKind(revokedKeys), 'grant', 'refresh-family')
  record('account whose grants were all revoked', OWNERS, byKind(after), 'consent-version')
}

/** Refreshes one grant every hour, and fails if the grant grows. */
async function measureRefreshes(refreshTokenGraceSeconds: number): Promise<void> {
  const keyPrefix = `refreshing-${refreshTokenGraceSeconds}:`
  const { host: measured, close: end } = await open(keyPrefix, refreshTokenGraceSeconds)
  const client = await createApplicationAt(measured, 'acme')
  const user = createUser(measured, 'alice')
  const code = await consent(user, await user.open(authorizationUrl(measured, client)))
  let tokens = await requestToken(measured, client, { grant_type: 'authorization_code', code })
  const { grant_id: grantId } = claimsOf(tokens.access_token)
  const sizes = new Map<number, number>()
  const clock = replaceClock()
  try {
    for (let refreshes = 0; refreshes <= Math.max(...MEASURED_AFTER); refreshes += 1) {
      if (MEASURED_AFTER.includes(refreshes)) {
        sizes.set(refreshes, bytesOf(keysOfGrant(await keysInRedis(redis, keyPrefix), grantId)))
      }
      clock.advance(HOUR_MS)
      await passTime(redis, HOUR_MS, `${keyPrefix}*`)
      tokens = await requestToken(measured, client, {
        grant_type: 'refresh_token',
        refresh_token: tokens.refresh_token,
      })
    }
  } finally {
    clock.restore()
    await end()
  }
  console.log(
    `a grant with all its keys, refreshTokenGraceSeconds ${refreshTokenGraceSeconds}: ` +
      [...sizes].map(([refreshes, bytes]) => `${bytes} bytes after ${refreshes} refreshes`).join(', '),
  )
  for (const [refreshes, bytes] of sizes) {
    if (bytes >= LIMIT_BYTES) failures.push(`a grant takes ${bytes} bytes after ${refreshes} refreshes`)
    const day = sizes.get(24) ?? 0
    if (bytes > day + TOLERANCE_BYTES) failures.push(`a grant has grown from ${day} to ${bytes} bytes`)
  }
}

function createUser(measured: MeasuredHost, accountId: string): Browser {
  const browser = createBrowser({ follow: [measured.origin] })
  browser.cookies.set(`${ACCOUNT_COOKIE}|${measured.origin}|/`, {
    value: accountId,
    path: '/',
    origin: measured.origin,
  })
  return browser
}

function authorizationUrl(measured: MeasuredHost, client: Client): URL {
  const url = new URL(`${measured.issuer}/oauth2/authorize`)
  url.search = new URLSearchParams({
    client_id: client.client_id,
    response_type: 'code',
    redirect_uri: CALLBACK,
    scope: `openid ${SCOPES}`,
    state: 'xyz',
  }).toString()
  return url
}

/** Approves everything on the consent page. @returns the code */
async function consent(user: Browser, page: Page | undefined): Promise<string> {
  if (!page) throw new Error('no page')
  const after = await user.submit(page, {
    action: /consent/,
    change: { scope: SCOPES.split(' ') },
    button: ['action', 'approve'],
  })
  const code = after.url.searchParams.get('code')
  if (code === null) throw new Error(`no code: ${after.url.href} ${after.status} ${after.body}`)
  return code
}

async function requestToken(
  measured: MeasuredHost,
  client: Client,
  parameters: Record<string, string>,
): Promise<Tokens> {
  const body = new URLSearchParams({ ...client, ...parameters })
  const response = await fetch(`${measured.issuer}/oauth2/token`, { method: 'POST', body })
  const text = await response.text()
  if (!response.ok) throw new Error(`no token: ${response.status} ${text}`)
  return JSON.parse(text) as Tokens
}

function claimsOf(token: string): { grant_id: string } {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { grant_id: string }
}
