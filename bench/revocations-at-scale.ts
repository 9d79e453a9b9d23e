/**
 * What 200,000 revocations in force cost a process: memory, the time until they are loaded from a Redis of its own,
 * and the gateway's requests a second with them against without. The two gateways take turns in one process, and the
 * figure is the median of the rounds' ratios, so that a busy machine slows both alike. Fails if it is below its limit.
 * `node --expose-gc bench/revocations-at-scale.ts` (Node 22.18 or later), some 40 seconds.
 */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, createServer as createHttpServer, request, type Server } from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { generateKeyPair, SignJWT } from 'jose'
import { Redis } from 'ioredis'
import Koa from 'koa'
import { redisStore } from '../adapters/redis.ts'
import { createCatalog } from '../src/catalog/create-catalog.ts'
import { createGatewayFrom } from '../src/gateway/gateway.ts'
import { createEvents } from '../src/host/events.ts'
import { silentLogger } from '../src/host/logger.ts'
import { createKnownRevocations } from '../src/tokens/revocations/known-revocations.ts'
import { createRevocationLog } from '../src/tokens/revocations/revocation-log.ts'
import type { Revocation } from '../src/tokens/revocations/revocation.ts'
import type { RevocationSource } from '../src/tokens/revocations/revocation-source.ts'

const COUNT = 200_000
/** Requests a second with them, against without. */
const LIMIT = 0.97
const ROUNDS = 61
const ROUND_MS = 200
const CONNECTIONS = 16
const DEADLINE_MS = 90_000
const DAY = 86_400
const ISSUER = 'https://example.com/auth'
const AUDIENCE = 'https://example.com/api'

setTimeout(() => {
  console.error(`not ready within ${DEADLINE_MS / 1000} s`)
  process.exit(1)
}, DEADLINE_MS).unref()

const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-bench-'))
const port = await freePort()
const settings = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '']
const redisServer = spawn('redis-server', settings, { stdio: 'ignore' })
// However this ends.
process.once('exit', () => {
  redisServer.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})
const redis = new Redis(port, '127.0.0.1', { maxRetriesPerRequest: null })
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
  'requests/s with them against none': { figure: round(ratio) },
})
console.log(`Node ${process.version}; ${ROUNDS} rounds of ${ROUND_MS} ms each way`)
if (!(ratio >= LIMIT)) {
  console.error(`requests/s are below ${LIMIT} of what they are without revocations`)
  process.exitCode = 1
}

await all.close()
await store.close()
redis.disconnect()
redisServer.kill('SIGKILL')

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
  const writer = new Redis(port, '127.0.0.1', { enableAutoPipelining: true })
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
  return createKnownRevocations({
    source,
    policy: { catchUpSeconds: 5, onLostContact: 'keep-serving', refuseAfterSeconds: 60 },
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

/** Requests a second with all revocations against none: the median of the rounds' ratios. */
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

  const servers = [none, all].map(async (revocations) => {
    const gateway = createGatewayFrom({
      issuer: ISSUER,
      audience: AUDIENCE,
      getKey: async () => publicKey,
      findScope: (method, pathname) => catalog.findOperation(method, pathname)?.scope,
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
  })
  const [without, having] = await Promise.all(servers)
  if (!without || !having) throw new Error('there are no servers')
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })

  const ratios: number[] = []
  for (let turn = -2; turn < ROUNDS; turn += 1) {
    // Each is first as often as the other, and the first rounds warm up.
    const first = await measure(turn % 2 ? having : without, agent, token)
    const second = await measure(turn % 2 ? without : having, agent, token)
    if (turn >= 0) ratios.push(turn % 2 ? first / second : second / first)
  }
  agent.destroy()
  for (const server of [without, having]) server.close()
  return ratios.toSorted((a, b) => a - b)[Math.floor(ratios.length / 2)] ?? Number.NaN
}

async function serve(app: Koa): Promise<Server> {
  const handle = app.callback()
  const server = createHttpServer((incoming, response) => void handle(incoming, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

/** Requests a second over kept-alive connections. */
async function measure(server: Server, agent: Agent, token: string): Promise<number> {
  const { port: its } = server.address() as AddressInfo
  const started = performance.now()
  let count = 0
  const loop = async () => {
    while (performance.now() < started + ROUND_MS) {
      await call(its, agent, token)
      count += 1
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, loop))
  return count / ((performance.now() - started) / 1000)
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

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return address.port
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000
}
