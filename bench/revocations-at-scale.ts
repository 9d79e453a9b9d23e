/**
 * Measures the cost of 200,000 active revocations for a process: memory, the time to load them from Redis,
 * and the requests per second of the gateway with and without revocations. The gateways take turns in one
 * process and are measured by the CPU time that they use. The figure is the median of the ratios of all
 * rounds, so that a busy machine hardly matters. The measurement starts its own Redis, and fails if the
 * figure is below its limit. `node --expose-gc bench/revocations-at-scale.ts` runs for about 40 seconds, and
 * needs Node 22.18 or later.
 */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { Agent, createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { generateKeyPair, SignJWT } from 'jose'
import { Redis } from 'ioredis'
import Koa from 'koa'
import { redisStore } from '../adapters/redis.ts'
import { createCatalog } from '../src/catalog/create-catalog.ts'
import { createGatewayFrom } from '../src/gateway/gateway.ts'
import { createProxyCheck } from '../src/health/proxy-check.ts'
import { createEvents } from '../src/host/events.ts'
import { silentLogger } from '../src/host/logger.ts'
import { createRevocationFollower, type KnownRevocations } from '../src/revocation/revocation-follower.ts'
import { createRevocationLog } from '../src/revocation/revocation-log.ts'
import type { Revocation } from '../src/revocation/revocation.ts'
import type { RevocationSource } from '../src/revocation/revocation-source.ts'
import { startRedis } from '../test/support/redis-server.ts'
import { round } from './figures.ts'

const COUNT = 200_000
/** The minimum ratio of requests per second with revocations to requests per second without revocations. */
const MIN_RATIO = 0.97
const ROUNDS = 61
const ROUND_MS = 100
const CONNECTIONS = 16
const DEADLINE_MS = 90_000
const DAY_SECONDS = 86_400
const ISSUER = 'https://example.com/auth'
const AUDIENCE = 'https://example.com/api'

setTimeout(() => {
  console.error(`not finished within ${DEADLINE_MS / 1000} s`)
  process.exit(1)
}, DEADLINE_MS).unref()

const redisServer = await startRedis()
const redis = new Redis(redisServer.url, { maxRetriesPerRequest: null })
redis.on('error', () => {})
await redis.ping()

const events = createEvents(() => {})
const now = Math.floor(Date.now() / 1000)
const redisBefore = await redisBytes()
await fill()
const redisMegabytes = ((await redisBytes()) - redisBefore) / 1e6

const none = viewOf({ read: async () => ({ revocations: [], cursor: '', more: false }) })
await none.start()
globalThis.gc?.()
const heapBefore = process.memoryUsage().heapUsed
const store = redisStore(redis)
const all = viewOf(createRevocationLog(store))
const loading = await timeOf(() => all.start())
globalThis.gc?.()
const heapMegabytes = (process.memoryUsage().heapUsed - heapBefore) / 1e6
if (all.size !== COUNT) throw new Error(`${all.size} revocations were loaded, and there are ${COUNT}`)
// No revocation has expired, so `prune()` removes nothing, and only its search is measured.
const pruning = await timeOf(async () => all.prune(now))

const ratio = await compare()
console.table({
  revocations: { figure: all.size },
  'MB of heap for the revocations': {
    figure: globalThis.gc ? round(heapMegabytes) : 'run the script with --expose-gc',
  },
  'MB of Redis for the revocations': { figure: round(redisMegabytes) },
  'ms until the revocations are loaded': { figure: Math.round(loading.ms) },
  'longest ms that loading blocks the event loop': { figure: round(loading.longestBlock) },
  'ms to search for expired revocations': { figure: round(pruning.ms) },
  'ns of one check': { figure: Math.round(checkTime()) },
  'requests per CPU second, relative to no revocations': { figure: round(ratio) },
})
console.log(`Node ${process.version}; ${ROUNDS} rounds of 4 × ${ROUND_MS} ms`)
if (!(ratio >= MIN_RATIO)) {
  console.error(
    `the requests per CPU second with revocations are below ${MIN_RATIO} of those without revocations`,
  )
  process.exitCode = 1
}

await all.close()
await store.close()
redis.disconnect()
await redisServer.stop()

/**
 * Makes one revocation. Most revocations revoke a token, fewer a grant, some a client, and very few an
 * operation. All revocations expire within the next ten days.
 */
function makeRevocation(index: number): Revocation {
  const id = randomBytes(16).toString('base64url')
  const until = now + DAY_SECONDS + Math.floor(Math.random() * 9 * DAY_SECONDS)
  const kind = index % 1000
  if (kind < 850) return { of: 'token', id, until }
  if (kind < 950) return { of: 'grant', id, until }
  if (kind < 970) return { of: 'client', id: `key_${id}`, until }
  if (kind < 995) return { of: 'client', id: `key_${id}`, below: 3, until }
  if (kind < 999) return { of: 'client', id: `key_${id}`, below: 3, scopes: ['reports:read'], until }
  return { of: 'operation', id: `operation-${index}:read`, below: 2, until }
}

/** Stores the revocations as if another process had stored them an hour ago. */
async function fill(): Promise<void> {
  const writer = new Redis(redisServer.url, { enableAutoPipelining: true })
  const writerStore = redisStore(writer)
  const log = createRevocationLog(writerStore, { now: () => Date.now() - 3_600_000 })
  const made = Array.from({ length: COUNT }, (_, index) => makeRevocation(index))
  const parts = Array.from({ length: 20 }, (_, part) => made.filter((__, index) => index % 20 === part))
  await Promise.all(parts.map((part) => log.add(part)))
  // Entries of the list of recent revocations are kept for less than an hour, so this list is deleted.
  const recent = await writer.keys('gatehouse:revocations:recent:*')
  if (recent.length > 0) await writer.del(recent)
  await writerStore.close()
  writer.disconnect()
}

function viewOf(source: RevocationSource) {
  return createRevocationFollower({
    source,
    policy: { pollIntervalSeconds: 5, whenStale: 'serve', maxStalenessSeconds: 60 },
    logger: silentLogger,
    events,
  })
}

/** The milliseconds that `work` takes, and the longest time for which it blocks the event loop. */
async function timeOf(work: () => Promise<void>): Promise<{ ms: number; longestBlock: number }> {
  let last = performance.now()
  let longestBlock = 0
  let isRunning = true
  const sample = () => {
    const time = performance.now()
    longestBlock = Math.max(longestBlock, time - last)
    last = time
    if (isRunning) setImmediate(sample)
  }
  const started = performance.now()
  setImmediate(sample)
  await work()
  isRunning = false
  return { ms: performance.now() - started, longestBlock }
}

/** Nanoseconds of CPU time to check that a token is not revoked, as the average of 2,000 different tokens. */
function checkTime(): number {
  const tokens = Array.from({ length: 2000 }, () => {
    const id = randomBytes(16).toString('base64url')
    const claims = { access_epoch: 3, catalog_epoch: 2 }
    return {
      tokenId: id,
      grantId: id,
      clientId: `app_${id}`,
      keyId: 'k',
      expiresAt: 2_000_000_000,
      scopes: ['invoices:read'],
      claims,
    }
  })
  const before = process.cpuUsage()
  for (let times = 0; times < 200; times += 1) for (const token of tokens) all.isTokenRevoked(token)
  const { user, system } = process.cpuUsage(before)
  return ((user + system) * 1000) / (200 * tokens.length)
}

/**
 * The ratio of requests per CPU second with all revocations to requests per CPU second with none. It is the
 * median of all rounds.
 */
async function compare(): Promise<number> {
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const operations = { 'invoices:read': { route: 'GET /invoices/:id', title: 'Read' } }
  const catalog = createCatalog({ everything: { title: 'Everything', operations } })
  const claims = { access_mode: 'delegated', account_id: 'acme', access_epoch: 3, catalog_epoch: 2 }
  const token = await new SignJWT({
    ...claims,
    client_id: 'app_1',
    grant_id: 'grant',
    scope: 'invoices:read',
  })
    .setProtectedHeader({ alg: 'ES256', kid: 'key-1', typ: 'at+jwt' })
    .setIssuer(ISSUER)
    .setAudience(AUDIENCE)
    .setSubject('user')
    .setJti(randomBytes(16).toString('base64url'))
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(privateKey)

  const serverWith = (revocations: KnownRevocations) => {
    const gateway = createGatewayFrom({
      check: () => [],
      proxyCheck: createProxyCheck({ issuer: ISSUER, logger: silentLogger }),
      issuer: ISSUER,
      audience: AUDIENCE,
      getKey: async () => publicKey,
      findScope: (method, pathname) => catalog.findOperation(method, pathname)?.scope,
      findClaims: (method, pathname) => catalog.findClaims(method, pathname),
      isKnownScope: (scope) => catalog.operations.has(scope),
      listScopes: () => [...catalog.operations.keys()],
      revocations,
      events,
      ready: async () => {},
      close: async () => {},
      startTimeoutMs: 1500,
      maxCachedTokens: 100_000,
      logger: silentLogger,
    })
    return serve(new Koa().use(gateway.middleware()).use((ctx) => void (ctx.body = { ok: true })))
  }
  // There are two servers of each kind, because the server that is created first may be faster.
  const [none1, all1] = [await serverWith(none), await serverWith(all)]
  const [all2, none2] = [await serverWith(all), await serverWith(none)]
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })

  const ratios: number[] = []
  for (let turn = -4; turn < ROUNDS; turn += 1) {
    const inTurn = turn % 2 ? [all2, none1, none2, all1] : [none1, all2, all1, none2]
    const rates = new Map<Server, number>()
    for (const server of inTurn) rates.set(server, await measure(server, agent, token))
    const rateOf = (...some: Server[]) => some.reduce((sum, server) => sum + (rates.get(server) ?? 0), 0)
    // The first rounds are a warm-up.
    if (turn >= 0) ratios.push(rateOf(all1, all2) / rateOf(none1, none2))
  }
  agent.destroy()
  for (const server of [none1, none2, all1, all2]) server.close()
  return ratios.toSorted((a, b) => a - b)[Math.floor(ratios.length / 2)] ?? Number.NaN
}

async function serve(app: Koa): Promise<Server> {
  const handle = app.callback()
  const server = createServer((incoming, response) => void handle(incoming, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

/**
 * Sends requests over keep-alive connections, and returns their number per second of CPU time of this
 * process. This figure hardly depends on how busy the machine is.
 */
async function measure(server: Server, agent: Agent, token: string): Promise<number> {
  const { port } = server.address() as AddressInfo
  const started = performance.now()
  const usedBefore = process.cpuUsage()
  let count = 0
  const loop = async () => {
    while (performance.now() < started + ROUND_MS) {
      await call(port, agent, token)
      count += 1
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, loop))
  const { user, system } = process.cpuUsage(usedBefore)
  return count / ((user + system) / 1e6)
}

function call(port: number, agent: Agent, token: string): Promise<void> {
  const headers = { Authorization: `Bearer ${token}` }
  return new Promise((resolve, reject) => {
    const outgoing = request({ port, host: '127.0.0.1', agent, path: '/api/invoices/42', headers })
    outgoing.on('error', reject).on('response', (response) => {
      if (response.statusCode !== 200) reject(new Error(`HTTP ${response.statusCode}`))
      response.resume().on('end', resolve)
    })
    outgoing.end()
  })
}

async function redisBytes(): Promise<number> {
  return Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1])
}
