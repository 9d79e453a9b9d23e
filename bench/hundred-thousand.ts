/**
 * A Redis with 100,000 API keys and 100,000 grants: bytes of each, how long it takes and how many round trips to list
 * those of one owner and of one account, how long a process takes to start against one with an empty Redis (one that
 * has its signing keys, and nothing else), and direct tokens a second with 1, 1,000 and 100,000 clients in turn. Fails
 * if a list takes more round trips than it may, or the number of clients makes a cliff. Starts Redis servers of its own.
 * `node bench/hundred-thousand.ts` (Node 22.18 or later), some two minutes.
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

const COUNT = 100_000
/** Of one owner, and of one account; the others have far fewer. */
const OF_ONE = 1000
const THE_ONE = 'the one with 1,000'
const OWNERS = 300
const ACCOUNTS = 9900
const APPLICATIONS = 100
/** What goes on at the same time while Redis is filled, and while tokens are asked for. */
const AT_ONCE = 200
const CONNECTIONS = 16
/** Starts of each kind, and rounds of tokens. */
const STARTS = 15
const ROUNDS = 7
const ROUND_MS = 1000
const LIMIT = { trips: 2, startRatio: 1.5, tokens: 0.6 }
const DAY = 86_400
const DEADLINE_MS = 240_000

interface Client {
  readonly client_id: string
  readonly client_secret: string
}

setTimeout(() => {
  console.error(`not ready within ${DEADLINE_MS / 1000} s`)
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
await weigh()
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

/** A host with a client of its own. It waits for long: Redis is kept busy while it is filled. */
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
    const accountId = index < OF_ONE ? THE_ONE : `developer-${index % OWNERS}`
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

/** Grants in use, each with its refresh token: records as the flow makes them, by what writes them there. */
async function fillGrants(): Promise<void> {
  const lifetimes = { refreshToken: 30 * DAY, delegatedAccessToken: 3600, storedConsent: 365 * DAY }
  const lives = createGrantLifecycle(filling.store, lifetimes)
  const format = createRefreshTokenFormat([Buffer.alloc(32, 1)])
  const families = createTokenFamilies(filling.store, format, { tombstoneTtl: 120 })
  const audience = `${filling.host.origin}/api`
  const scope = `openid ${SCOPES}`
  const started = performance.now()
  await forEach(COUNT, async (index) => {
    const grantId = randomBytes(32).toString('base64url')
    const accountId = index < OF_ONE ? THE_ONE : `user-${index % ACCOUNTS}`
    const iat = Math.floor(Date.now() / 1000)
    // What oidc-provider saves of a grant and of a refresh token.
    const about = { iat, accountId, clientId: applications[index % APPLICATIONS] ?? '' }
    const rest = { kind: 'Grant', jti: grantId, versions: {}, openid: { scope: 'openid' } }
    const record = { ...about, exp: iat + 3720, resources: { [audience]: scope }, ...rest }
    await lives.records.create(grantId, record, 3720)
    if (!(await lives.activate(grantId))) throw new Error('the grant does not begin')
    const payload = {
      ...about,
      exp: iat + 30 * DAY,
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
    await families.start(format.mint({ grantId, generation: 0 }), payload, 30 * DAY)
  })
  families.close()
  console.log(`${COUNT} grants made in ${seconds(started)} s`)
}

async function weigh(): Promise<void> {
  const kinds = byKind(await keysInRedis(redis))
  const of = (...names: string[]) => names.reduce((sum, name) => sum + (kinds.get(name)?.bytes ?? 0), 0)
  const lists = ["list of an account's grants: its buckets", "list of an account's grants: a bucket"]
  console.table({
    'API key': {
      bytes: Math.round(of('client', 'list of all clients', "list of an account's clients") / COUNT),
    },
    grant: { bytes: Math.round(of('grant', 'refresh-family', ...lists) / COUNT) },
  })
  const used = /used_memory_human:(\S+)/.exec(await redis.info('memory'))?.[1]
  console.log(`Redis uses ${used} for all of it`)
}

/** Round trips are counted on a long way; times are those beside Redis. */
async function measureLists(): Promise<void> {
  const lists: readonly (readonly [what: string, list: (host: MeasuredHost) => Promise<unknown[]>])[] = [
    ['apiKeys.listByOwner, 50 of 1,000', async (host) => (await listKeys(host, THE_ONE)).items],
    ['apiKeys.listByOwner, 50 of 330', async (host) => (await listKeys(host, 'developer-7')).items],
    ['grants.list, 50 of 1,000', async (host) => (await listGrants(host, THE_ONE)).items],
    ['grants.list, all of 10', async (host) => (await listGrants(host, 'user-7')).items],
  ]
  const way = await startSlowLink(full)
  const far = await open(way.port)
  const trips = new Map<string, number>()
  for (const [what, list] of lists) {
    const counted = await way.of(() => list(far.host))
    trips.set(what, counted.length)
    if (what.startsWith('apiKeys') && counted.length > LIMIT.trips) {
      failures.push(`${what}: ${counted.length} round trips`)
    }
  }
  await far.close()
  await way.close()

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
    figures[what] = { items, 'round trips': trips.get(what), 'ms beside Redis': round(median(times)) }
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

/** From `createGatehouse` until it is ready, in turn. */
async function measureStarts(): Promise<void> {
  const times = { empty: [] as number[], full: [] as number[] }
  for (let turn = -1; turn < STARTS; turn += 1) {
    for (const [what, { port }] of Object.entries({ empty, full })) {
      const started = performance.now()
      const { close } = await open(port)
      // The first start makes keys.
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

/** Direct tokens a second, in turn; each of the 100,000 asks for one at most. */
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
  if (others.some((rate) => !(rate >= one * LIMIT.tokens))) failures.push('many clients make a cliff')
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

/** Calls `work` with 0 to `count` − 1, some at a time. @returns what it answered, in order */
async function forEach<T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> {
  const results: T[] = []
  let next = 0
  const worker = async () => {
    while (next < count) {
      const index = next
      next += 1
      results[index] = await work(index)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return results
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(1)
}
