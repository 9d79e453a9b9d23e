/**
 * How large what a gatehouse keeps in Redis is: bytes of each API key, application, session, grant and all the rest by
 * MEMORY USAGE, with its share of the lists that it stands in. One grant is refreshed every hour for 90 days, by a
 * clock that is put forward, with and without `refreshTokenGraceSeconds`. Fails if a grant with all its keys takes 4 KiB or
 * grows with its refreshes, or if a key without an expiry is found that ought to have one. Starts a Redis of its own.
 * `node bench/sizes.ts` (Node 22.18 or later), some 30 seconds.
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
import { putClockForward } from './clock.ts'
import { ACCOUNT_COOKIE, CALLBACK, SCOPES, startHost, type MeasuredHost } from './host.ts'

const OWNERS = 50
const CLIENTS_OF_EACH = 10
const USERS = 200
const REVOCATIONS = 500
const HOUR = 3_600_000
/** Refreshes after which the grant is weighed: a day, 30 days and 90 days of one an hour. */
const WEIGHED_AFTER = [0, 24, 720, 2160]
/** Bytes of a grant with all its keys, which it stays below. */
const LIMIT = 4096
/** Bytes by which it may differ from day to day: numbers get longer, and it may stand in one list more. */
const FIXED = 256

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

const before = await weigh()
await weighClients('API key', createApiKey)
const application = await weighClients('application', createApplication)
await weighAuthorizations(application)
await weighRevocations()
await weighWhatStays()
console.table(figures)

for (const seconds of [0, 10]) await weighRefreshes(seconds)

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

/** A host with a client of its own, so that its keys can be told apart. */
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

async function weigh(): Promise<Map<string, { count: number; bytes: number }>> {
  return byKind(await keysInRedis(redis))
}

/** Notes the bytes of kinds, divided among `count`. */
function note(
  what: string,
  count: number,
  kinds: Awaited<ReturnType<typeof weigh>>,
  ...names: string[]
): void {
  const parts = names.map((name) => [name, (kinds.get(name)?.bytes ?? 0) / count] as const)
  const all = parts.filter(([, bytes]) => bytes > 0)
  figures[what] = {
    bytes: Math.round(all.reduce((sum, [, bytes]) => sum + bytes, 0)),
    'made of': all.map(([name, bytes]) => `${name} ${Math.round(bytes)}`).join(' + '),
  }
}

/** Creates clients of 50 owners, lets each get a token if it can, and weighs what has been added. */
async function weighClients(what: string, create: (owner: string) => Promise<Client>): Promise<Client> {
  const [earlier, made] = [await weigh(), [] as Client[]]
  for (let owner = 0; owner < OWNERS; owner += 1) {
    const some = Array.from({ length: CLIENTS_OF_EACH }, () => create(`developer-${owner}`))
    made.push(...(await Promise.all(some)))
  }
  if (create === createApiKey) {
    for (const client of made) await requestToken(host, client, { grant_type: 'client_credentials' })
  }
  const now = await weigh()
  const added = [...now].map(([kind, { count, bytes }]) => {
    const was = earlier.get(kind) ?? { count: 0, bytes: 0 }
    return [kind, { count: count - was.count, bytes: bytes - was.bytes }] as const
  })
  const kinds = ['client', 'client-usage', 'list of all clients', "list of an account's clients"]
  note(what, made.length, new Map(added), ...kinds)
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

async function createApplicationAt(at: MeasuredHost, accountId: string): Promise<Client> {
  const { application: made, clientSecret } = await at.gatehouse.applications.create({
    accountId,
    name: 'Ledger',
    products: ['invoices', 'payments'],
    redirectUris: [CALLBACK],
  })
  return { client_id: made.clientId, client_secret: clientSecret }
}

/** Takes users through sign-in, consent and the exchange of a code, and weighs each step. */
async function weighAuthorizations(client: Client): Promise<void> {
  const users = Array.from({ length: USERS }, (_, index) => createUser(host, `user-${index}`))
  const pages: Page[] = []
  for (const user of users) pages.push(await user.open(authorizationUrl(host, client)))
  note('interaction (a person decides)', USERS, await weigh(), 'interaction')

  const codes: string[] = []
  for (const [index, user] of users.entries()) codes.push(await consent(user, pages[index]))
  const asCodes = await weigh()
  note('code, with its grant until it is exchanged', USERS, asCodes, 'code', 'grant')
  note('remembered consent', USERS, asCodes, 'consent')
  note('session', USERS, asCodes, 'session', 'session-uid')

  for (const code of codes) await requestToken(host, client, { grant_type: 'authorization_code', code })
  const lists = ["list of an account's grants: its buckets", "list of an account's grants: a bucket"]
  note('grant in use, with its refresh token', USERS, await weigh(), 'grant', 'refresh-family', ...lists)
}

async function weighRevocations(): Promise<void> {
  const key = await createApiKey('developer-0')
  for (let count = 0; count < REVOCATIONS; count += 1) {
    const { access_token: token } = await requestToken(host, key, { grant_type: 'client_credentials' })
    await host.gatehouse.tokens.revoke(token)
  }
  const names = ['revocations by their end', 'revocations by their making', 'revocations: shelves']
  note('revoked token', REVOCATIONS, await weigh(), ...names)
  const all = await weigh()
  for (const kind of ['key ring', 'catalog']) note(`${kind}, once`, before.get(kind)?.count ?? 1, all, kind)
}

/** What stays of an API key that was deleted, and of an account whose grants were all withdrawn. */
async function weighWhatStays(): Promise<void> {
  const { apiKeys, grants } = host.gatehouse
  const keys: string[] = []
  for (let count = 0; count < OWNERS; count += 1) {
    const { client_id: clientId } = await createApiKey('developer-0')
    await apiKeys.delete(clientId)
    keys.push(clientId)
  }
  const isOfKeys = (name: string) => name === 'clients:deleted' || keys.includes(name.slice('client:'.length))
  const ofKeys = (await keysInRedis(redis)).filter(({ name }) => isOfKeys(name))
  note('deleted API key', keys.length, byKind(ofKeys), 'client', 'list of deleted clients')

  const ended: string[] = []
  for (let user = 0; user < OWNERS; user += 1) {
    const accountId = `user-${user}`
    ended.push(...(await grants.list({ accountId })).items.map(({ grantId }) => grantId))
    await grants.revokeAll({ accountId })
  }
  const after = await keysInRedis(redis)
  const withdrawn = after.filter(({ name }) => ended.some((grantId) => name.endsWith(`:${grantId}`)))
  note('withdrawn grant, for two minutes', ended.length, byKind(withdrawn), 'grant', 'refresh-family')
  note('account, all of whose grants were withdrawn', OWNERS, byKind(after), 'consent-version')
}

/** Refreshes one grant every hour; fails if it grows. */
async function weighRefreshes(refreshTokenGraceSeconds: number): Promise<void> {
  const keyPrefix = `refreshing-${refreshTokenGraceSeconds}:`
  const { host: at, close: end } = await open(keyPrefix, refreshTokenGraceSeconds)
  const client = await createApplicationAt(at, 'acme')
  const user = createUser(at, 'alice')
  const code = await consent(user, await user.open(authorizationUrl(at, client)))
  let tokens = await requestToken(at, client, { grant_type: 'authorization_code', code })
  const { grant_id: grantId } = claimsOf(tokens.access_token)
  const weights = new Map<number, number>()
  const clock = putClockForward()
  try {
    for (let refreshes = 0; refreshes <= Math.max(...WEIGHED_AFTER); refreshes += 1) {
      if (WEIGHED_AFTER.includes(refreshes)) {
        weights.set(refreshes, bytesOf(keysOfGrant(await keysInRedis(redis, keyPrefix), grantId)))
      }
      clock.by(HOUR)
      await passTime(redis, HOUR, `${keyPrefix}*`)
      tokens = await requestToken(at, client, {
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
      [...weights].map(([refreshes, bytes]) => `${bytes} bytes after ${refreshes} refreshes`).join(', '),
  )
  for (const [refreshes, bytes] of weights) {
    if (bytes >= LIMIT) failures.push(`a grant takes ${bytes} bytes after ${refreshes} refreshes`)
    const day = weights.get(24) ?? 0
    if (bytes > day + FIXED) failures.push(`a grant has grown from ${day} to ${bytes} bytes`)
  }
}

function createUser(at: MeasuredHost, accountId: string): Browser {
  const browser = createBrowser({ follow: [at.origin] })
  browser.cookies.set(`${ACCOUNT_COOKIE}|${at.origin}|/`, { value: accountId, path: '/', origin: at.origin })
  return browser
}

function authorizationUrl(at: MeasuredHost, client: Client): URL {
  const url = new URL(`${at.issuer}/oauth2/authorize`)
  url.search = new URLSearchParams({
    client_id: client.client_id,
    response_type: 'code',
    redirect_uri: CALLBACK,
    scope: `openid ${SCOPES}`,
    state: 'xyz',
  }).toString()
  return url
}

/** Allows everything on the consent page. @returns the code */
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
  at: MeasuredHost,
  client: Client,
  parameters: Record<string, string>,
): Promise<Tokens> {
  const body = new URLSearchParams({ ...client, ...parameters })
  const response = await fetch(`${at.issuer}/oauth2/token`, { method: 'POST', body })
  const text = await response.text()
  if (!response.ok) throw new Error(`no token: ${response.status} ${text}`)
  return JSON.parse(text) as Tokens
}

function claimsOf(token: string): { grant_id: string } {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { grant_id: string }
}
