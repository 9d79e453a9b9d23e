/**
 * What 200,000 revocations in force cost a process: memory, the time until they are loaded from a Redis of its own,
 * and the gateway's requests a second with them against without. The gateways take turns in one process
 * and are measured by the time of the CPU that they use, and the figure is the median of the rounds' ratios, so that a
 * busy machine hardly matters. Fails if it is below its limit.
 * `node --expose-gc bench/revocations-at-scale.ts` (Node 22.18 or later), some 40 seconds.
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
import { createEvents } from '../src/host/events.ts'
import { silentLogger } from '../src/host/logger.ts'
import { createRevocationView, type KnownRevocations } from '../src/revocation/revocation-view.ts'
import { createRevocationLog } from '../src/revocation/revocation-log.ts'
import type { Revocation } from '../src/revocation/revocation.ts'
import type { RevocationSource } from '../src/revocation/revocation-source.ts'
import { startRedis } from '../test/support/redis-server.ts'
import { round } from './figures.ts'

const COUNT = 200_000
/** Requests a second with them, against without. */
const LIMIT = 0.97
const ROUNDS = 61
const ROUND_MS = 100
const CONNECTIONS = 16
const DEADLINE_MS = 90_000
const DAY = 86_400
const ISSUER = 'https://example.com/auth'
const AUDIENCE = 'https://example.com/api'

setTimeout(() => {
  console.error(`not ready within ${DEADLINE_MS / 1000} s`)
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

const none = known({ read: async () => ({ revocations: [], cursor: '', more: false }) })
await none.start()
globalThis.gc?.()
const heapBefore = process.memoryUsage().heapUsed
const store = redisStore(redis)
const all = known(createRevocationLog(store))
const loading = await timeOf(() => all.start())
globalThis.gc?.()
const heapMegabytes = (process.memoryUsage().heapUsed - heapBefore) / 1e6
if (all.size !== COUNT) throw new Error(`${all.size} revocations were loaded, and there are ${COUNT}`)
// What is in force stays: this only looks.
const pruning = await timeOf(async () => all.prune(now))

const ratio = await compare()
console.table({
  revocations: { figure: all.size },
  'MB of heap for them': { figure: globalThis.gc ? round(heapMegabytes) : 'run it with --expose-gc' },
  'MB of Redis for them': { figure: round(redisMegabytes) },
  'ms until they are loaded': { figure: Math.round(loading.ms) },
  'longest ms without a turn for others, meanwhile': { figure: round(loading.longestTurn) },
  'ms to look for what is over': { figure: round(pruning.ms) },
  'ns that a check takes': { figure: Math.round(checkTime()) },
  'requests/s of CPU with them against none': { figure: round(ratio) },
})
console.log(`Node ${process.version}; ${ROUNDS} rounds of 4 × ${ROUND_MS} ms`)
if (!(ratio >= LIMIT)) {
  console.error(`requests/s are below ${LIMIT} of what they are without revocations`)
  process.exitCode = 1
}

await all.close()
await store.close()
redis.disconnect()
await redisServer.stop()

/** Mostly tokens, then grants, some clients, few of the rest; they end within the next ten days. */
function makeRevocation(index: number): Revocation {
  const id = randomBytes(16).toString('base64url')
  const until = now + DAY + Math.floor(Math.random() * 9 * DAY)
  const kind = index % 1000
  if (kind < 850) return { of: 'token', id, until }
  if (kind < 950) return { of: 'grant', id, until }
  if (kind < 970) return { of: 'client', id: `key_${id}`, until }
  if (kind < 995) return { of: 'client', id: `key_${id}`, below: 3, until }
  if (kind < 999) return { of: 'client', id: `key_${id}`, below: 3, scopes: ['reports:read'], until }
  return { of: 'operation', id: `operation-${index}:read`, below: 2, until }
}

/** As they were made an hour ago, by another process. */
async function fill(): Promise<void> {
  const writer = new Redis(redisServer.url, { enableAutoPipelining: true })
  const itsStore = redisStore(writer)
  const log = createRevocationLog(itsStore, { now: () => Date.now() - 3_600_000 })
  const made = Array.from({ length: COUNT }, (_, index) => makeRevocation(index))
  const parts = Array.from({ length: 20 }, (_, part) => made.filter((__, index) => index % 20 === part))
  await Promise.all(parts.map((part) => log.add(part)))
  // Recent ones are kept for less than an hour after they were made.
  const recent = await writer.keys('gatehouse:revocations:recent:*')
  if (recent.length > 0) await writer.del(recent)
  await itsStore.close()
  writer.disconnect()
}

function known(source: RevocationSource) {
  return createRevocationView({
    source,
    policy: { pollIntervalSeconds: 5, whenStale: 'serve', maxStalenessSeconds: 60 },
    logger: silentLogger,
    events,
  })
}

/** Milliseconds that something takes, and the longest of them in which nothing else got a turn. */
async function timeOf(work: () => Promise<void>): Promise<{ ms: number; longestTurn: number }> {
  let last = performance.now()
  let longestTurn = 0
  let isRunning = true
  const look = () => {
    const time = performance.now()
    longestTurn = Math.max(longestTurn, time - last)
    last = time
    if (isRunning) setImmediate(look)
  }
  const started = performance.now()
  setImmediate(look)
  await work()
  isRunning = false
  return { ms: performance.now() - started, longestTurn }
}

/** Nanoseconds of CPU that it takes to see that a token was not revoked, one after the other of 2000. */
function checkTime(): number {
  const tokens = Array.from({ length: 2000 }, () => {
    const id = randomBytes(16).toString('base64url')
    const claims = { access_epoch: 3, catalog_epoch: 2 }
    return { tokenId: id, grantId: id, clientId: `app_${id}`, keyId: 'k', scopes: ['invoices:read'], claims }
  })
  const before = process.cpuUsage()
  for (let times = 0; times < 200; times += 1) for (const token of tokens) all.isTokenRevoked(token)
  const { user, system } = process.cpuUsage(before)
  return ((user + system) * 1000) / (200 * tokens.length)
}

/** Requests a second of CPU with all revocations against none: the median of the rounds' ratios. */
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
      tokenCacheBytes: 8_388_608,
      logger: silentLogger,
    })
    return serve(new Koa().use(gateway.middleware()).use((ctx) => void (ctx.body = { ok: true })))
  }
  // Two of each, since one and the same server may be quicker for having been made first.
  const [none1, all1] = [await serverWith(none), await serverWith(all)]
  const [all2, none2] = [await serverWith(all), await serverWith(none)]
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })

  const ratios: number[] = []
  for (let turn = -4; turn < ROUNDS; turn += 1) {
    const inTurn = turn % 2 ? [all2, none1, none2, all1] : [none1, all2, all1, none2]
    const rates = new Map<Server, number>()
    for (const server of inTurn) rates.set(server, await measure(server, agent, token))
    const rateOf = (...some: Server[]) => some.reduce((sum, server) => sum + (rates.get(server) ?? 0), 0)
    // The first rounds warm up.
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

/** Requests over kept-alive connections in a second of this process's own time, whatever else the machine does. */
async function measure(server: Server, agent: Agent, token: string): Promise<number> {
  const { port: its } = server.address() as AddressInfo
  const started = performance.now()
  const usedBefore = process.cpuUsage()
  let count = 0
  const loop = async () => {
    while (performance.now() < started + ROUND_MS) {
      await call(its, agent, token)
      count += 1
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, loop))
  const { user, system } = process.cpuUsage(usedBefore)
  return count / ((user + system) / 1e6)
}

function call(its: number, agent: Agent, token: string): Promise<void> {
  const headers = { Authorization: `Bearer ${token}` }
  return new Promise((resolve, reject) => {
    const outgoing = request({ port: its, host: '127.0.0.1', agent, path: '/api/invoices/42', headers })
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
