/**
 * Measures a Redis with 100,000 API keys and 100,000 grants:
 *
 * - the bytes of an API key and of a grant;
 * - the time and the round trips to list the API keys of one owner, and the grants of one account;
 * - the time to start a process, compared with a Redis that contains only the signing keys;
 * - direct tokens per second for 1, 1,000 and 100,000 clients.
 *
 * The measurement fails if a list takes too many round trips, if the start takes too long, or if throughput
 * drops with the number of clients. It starts its own Redis servers. `node bench/hundred-thousand.ts` runs
 * for about two minutes, and needs Node 22.18 or later.
 */
import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import { Redis } from 'ioredis'
import { redisStore } from '../adapters/redis.ts'
import { createGrantLifecycle } from '../src/grants/grant-lifecycle.ts'
import { createTokenFamilies } from '../src/grants/refresh-tokens/token-families.ts'
import { createRefreshTokenFormat } from '../src/grants/refresh-tokens/token-format.ts'
import { freePort } from '../test/support/free-port.ts'
import { byKind, keysInRedis } from '../test/support/keys-in-redis.ts'
import { startRedis } from '../test/support/redis-server.ts'
import { startSlowLink } from '../test/support/round-trips.ts'
import { median, round } from './figures.ts'
import { CALLBACK, SCOPES, startHost, type MeasuredHost } from './host.ts'
import { forEach } from './in-parallel.ts'

const COUNT = 100_000
/** `LARGE_ACCOUNT` owns this many clients, and has this many grants. Every other account has far fewer. */
const LARGE_COUNT = 1000
const LARGE_ACCOUNT = 'the account with 1,000'
const OWNERS = 300
const ACCOUNTS = 9900
const APPLICATIONS = 100
/** The number of parallel calls while Redis is filled, and of connections while tokens are requested. */
const CONNECTIONS = 16
/** The number of measured starts for each Redis, and of measured rounds of token requests. */
const STARTS = 15
const ROUNDS = 7
const ROUND_MS = 1000
/** A list of an owner reads all its clients, 500 in two round trips. Each first token in an hour stores two last uses. */
const LIMIT = { trips: 4, startRatio: 1.5, tokens: 0.4 }
const DAY_SECONDS = 86_400
const DEADLINE_MS = 240_000

interface Client {
  readonly client_id: string
  readonly client_secret: string
}

setTimeout(() => {
  console.error(`not finished within ${DEADLINE_MS / 1000} s`)
  process.exit(1)
}, DEADLINE_MS).unref()

const failures: string[] = []
const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
const [full, empty] = [await startRedis(), await startRedis()]
const redis = new Redis(full.url)

const filling = await open(full.port, { enableAutoPipelining: true })
const clients = await fillClients()
const applications = await fillApplications()
await fillGrants()
await measureSizes()
await filling.close()

await measureLists()
await measureStarts()
await measureTokens()

agent.destroy()
redis.disconnect()
await Promise.all([full.stop(), empty.stop()])
for (const failure of failures) console.log(`FAILED: ${failure}`)
console.log(`Node ${process.version}`)
process.exit(failures.length === 0 ? 0 : 1)

/** Opens a host with its own Redis client. Its timeouts are long, because Redis is busy while it is filled. */
async function open(port: number, options: object = {}) {
  const client = new Redis(port, options)
  const store = redisStore(client)
  const host = await startHost({
    store,
    port: await freePort(),
    gatehouse: { startTimeoutMs: 20_000, storeTimeoutMs: 20_000 },
  })
  return {
    host,
    store,
    async close() {
      await host.close()
      await store.close()
      client.disconnect()
    },
  }
}

async function fillClients(): Promise<Client[]> {
  const { apiKeys } = filling.host.gatehouse
  const started = performance.now()
  const made = await forEach(COUNT, async (index) => {
    const accountId = index < LARGE_COUNT ? LARGE_ACCOUNT : `developer-${index % OWNERS}`
    const products = ['invoices', 'payments']
    const { apiKey, clientSecret } = await apiKeys.create({ accountId, name: 'Nightly export', products })
    return { client_id: apiKey.clientId, client_secret: clientSecret }
  })
  console.log(`${COUNT} API keys made in ${seconds(started)} s`)
  return made
}

async function fillApplications(): Promise<string[]> {
  const products = ['invoices', 'payments']
  return forEach(APPLICATIONS, async (index) => {
    const { application } = await filling.host.gatehouse.applications.create({
      accountId: `developer-${index % OWNERS}`,
      name: 'Ledger',
      products,
      redirectUris: [CALLBACK],
    })
    return application.clientId
  })
}

/**
 * Creates grants, each with a refresh token. They are stored by the functions that the authorization code
 * flow uses.
 */
async function fillGrants(): Promise<void> {
  const lifetimes = {
    refreshToken: 30 * DAY_SECONDS,
    delegatedAccessToken: 3600,
  }
  const lifecycle = createGrantLifecycle(filling.store, lifetimes)
  const format = createRefreshTokenFormat([Buffer.alloc(32, 1)])
  const families = createTokenFamilies(filling.store, format, { tombstoneTtl: 120 })
  const audience = `${filling.host.origin}/api`
  const scope = `openid ${SCOPES}`
  const started = performance.now()
  await forEach(COUNT, async (index) => {
    const grantId = randomBytes(32).toString('base64url')
    const accountId = index < LARGE_COUNT ? LARGE_ACCOUNT : `user-${index % ACCOUNTS}`
    const iat = Math.floor(Date.now() / 1000)
    // The fields that oidc-provider stores of a grant and of a refresh token.
    const about = { iat, accountId, clientId: applications[index % APPLICATIONS] ?? '' }
    const rest = { kind: 'Grant', jti: grantId, versions: {}, openid: { scope: 'openid' } }
    const record = { ...about, exp: iat + 3720, resources: { [audience]: scope }, ...rest }
    await lifecycle.records.create(grantId, record, 3720)
    if (!(await lifecycle.activate(grantId))) throw new Error('the grant cannot be used')
    const payload = {
      ...about,
      exp: iat + 30 * DAY_SECONDS,
      authTime: iat,
      grantId,
      gty: 'authorization_code',
      resource: audience,
      rotations: 0,
      scope,
      sessionUid: randomUUID(),
      kind: 'RefreshToken',
      iiat: iat,
    }
    await families.start(format.mint({ grantId, generation: 0 }), payload, 30 * DAY_SECONDS)
  })
  families.close()
  console.log(`${COUNT} grants made in ${seconds(started)} s`)
}

async function measureSizes(): Promise<void> {
  const kinds = byKind(await keysInRedis(redis))
  const sizeOf = (...names: string[]) => names.reduce((sum, name) => sum + (kinds.get(name)?.bytes ?? 0), 0)
  const lists = ["list of an account's grants: its buckets", "list of an account's grants: a bucket"]
  console.table({
    'API key': {
      bytes: Math.round(sizeOf('client', 'list of all clients', "list of an account's clients") / COUNT),
    },
    grant: { bytes: Math.round(sizeOf('grant', 'refresh-family', ...lists) / COUNT) },
  })
  const used = /used_memory_human:(\S+)/.exec(await redis.info('memory'))?.[1]
  console.log(`Redis uses ${used} in total`)
}

/** Counts round trips over a slow connection, and measures times over a fast connection. */
async function measureLists(): Promise<void> {
  const lists: readonly (readonly [what: string, list: (host: MeasuredHost) => Promise<unknown[]>])[] = [
    ['apiKeys.listByOwner, 50 of 1,000', async (host) => (await listKeys(host, LARGE_ACCOUNT)).items],
    ['apiKeys.listByOwner, 50 of 330', async (host) => (await listKeys(host, 'developer-7')).items],
    ['grants.list, 50 of 1,000', async (host) => (await listGrants(host, LARGE_ACCOUNT)).items],
    ['grants.list, all of 10', async (host) => (await listGrants(host, 'user-7')).items],
  ]
  const link = await startSlowLink(full)
  const far = await open(link.port)
  const trips = new Map<string, number>()
  for (const [what, list] of lists) {
    const counted = await link.of(() => list(far.host))
    trips.set(what, counted.length)
    if (what.startsWith('apiKeys') && counted.length > LIMIT.trips) {
      failures.push(`${what}: ${counted.length} round trips`)
    }
  }
  await far.close()
  await link.close()

  const near = await open(full.port)
  const figures: Record<string, object> = {}
  for (const [what, list] of lists) {
    const items = (await list(near.host)).length
    const times: number[] = []
    for (let turn = 0; turn < 50; turn += 1) {
      const started = performance.now()
      await list(near.host)
      times.push(performance.now() - started)
    }
    figures[what] = { items, 'round trips': trips.get(what), 'ms without latency': round(median(times)) }
  }
  console.table(figures)
  await near.close()
}

function listKeys({ gatehouse }: MeasuredHost, owner: string) {
  return gatehouse.apiKeys.listByOwner(owner, { limit: 50 })
}

function listGrants({ gatehouse }: MeasuredHost, accountId: string) {
  return gatehouse.grants.list({ accountId, limit: 50 })
}

/** Measures the time from `createGatehouse()` until the host is ready, alternately for both Redis servers. */
async function measureStarts(): Promise<void> {
  const times = { empty: [] as number[], full: [] as number[] }
  for (let turn = -1; turn < STARTS; turn += 1) {
    for (const [what, { port }] of Object.entries({ empty, full })) {
      const started = performance.now()
      const { close } = await open(port)
      // The first start with the empty Redis generates signing keys, so it is not measured.
      if (turn >= 0) times[what as keyof typeof times].push(performance.now() - started)
      await close()
    }
  }
  const [ofEmpty, ofFull] = [median(times.empty), median(times.full)]
  console.log(
    `ready after ${round(ofEmpty)} ms with an empty Redis, ${round(ofFull)} ms with the full one: × ${round(ofFull / ofEmpty)}`,
  )
  if (ofFull > ofEmpty * LIMIT.startRatio) failures.push('starting takes longer with a full Redis')
}

/**
 * Measures direct tokens per second for each number of clients in turn. In the measurement with 100,000
 * clients, each client requests at most one token.
 */
async function measureTokens(): Promise<void> {
  const { host, close } = await open(full.port)
  let next = 0
  const picks = {
    '1 client': () => clients[0],
    '1,000 clients': () => clients[randomInt(1000)],
    '100,000 clients': () => clients[(next += 1) % COUNT],
  }
  const rates = Object.fromEntries(Object.keys(picks).map((what) => [what, [] as number[]]))
  for (let turn = -1; turn < ROUNDS; turn += 1) {
    for (const [what, pick] of Object.entries(picks)) {
      const rate = await tokensPerSecond(host, pick)
      if (turn >= 0) rates[what]?.push(rate)
    }
  }
  const [one = Number.NaN, ...others] = Object.values(rates).map(median)
  console.table(
    Object.fromEntries(
      Object.entries(rates).map(([what, all]) => [
        what,
        { 'tokens/s': Math.round(median(all)), relative: round(median(all) / one) },
      ]),
    ),
  )
  if (others.some((rate) => !(rate >= one * LIMIT.tokens)))
    failures.push('throughput drops with the number of clients')
  await close()
}

async function tokensPerSecond(host: MeasuredHost, pick: () => Client | undefined): Promise<number> {
  const started = performance.now()
  let count = 0
  const loop = async () => {
    while (performance.now() - started < ROUND_MS) {
      await requestToken(host, pick())
      count += 1
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, loop))
  return count / ((performance.now() - started) / 1000)
}

function requestToken(host: MeasuredHost, client: Client | undefined): Promise<void> {
  const body = new URLSearchParams({ grant_type: 'client_credentials', ...client }).toString()
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': body.length }
  return new Promise((resolve, reject) => {
    const outgoing = request(
      `${host.issuer}/oauth2/token`,
      { method: 'POST', agent, headers },
      (response) => {
        if (response.statusCode !== 200) reject(new Error(`HTTP ${response.statusCode}`))
        response.resume().on('end', resolve)
      },
    )
    outgoing.on('error', reject).end(body)
  })
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(1)
}
