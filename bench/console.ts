/**
 * The pages of the console with 10,000 API keys, 1,000 connected applications and 1,000,000 audit entries: the round trips
 * to Redis, the CPU, and the bytes of each page. It fails if a page makes more than 5 round trips, or has more than 30 kB
 * with stylesheet and script. It starts its own Redis. It runs for about two minutes: `npm run build && node bench/console.ts`, with
 * Node 22.18 or later. On Node 20: `npm run build && node build.mjs bench/rolldown.config.ts && node build/bench/console.js`.
 */
import { gzipSync } from 'node:zlib'
import { Redis } from 'ioredis'
import { redisStore } from '../adapters/redis.ts'
import { createGrantLifecycle } from '../src/grants/grant-lifecycle.ts'
import { fillTrail } from '../test/support/fill-trail.ts'
import { importKeys } from '../test/support/import-keys.ts'
import { startRedis } from '../test/support/redis-server.ts'
import { startSlowLink } from '../test/support/round-trips.ts'
import { startConsole } from '../test/flows/console/setup.ts'
import { median } from './figures.ts'

const KEYS = 10_000
const CONNECTED = 1000
const ENTRIES = 1_000_000
const MAX_TRIPS = 5
const MAX_BYTES = 30_000
const TURNS = 60
const ROUNDS = 5
const DAY_SECONDS = 86_400

const server = await startRedis()
const filling = new Redis(server.url, { enableAutoPipelining: true })
const store = redisStore(filling)
await fillTrail(store, ENTRIES)
const link = await startSlowLink(server)
const [near, far] = [await open(server.port), await open(link.port)]

const { client_id: application } = await near.host.createApplication()
const { client_id: apiKey } = await near.host.createApiKey()
await createKeys()
await connectApplications()
console.log(
  `${KEYS.toLocaleString('en')} API keys, ${CONNECTED.toLocaleString('en')} connected applications, ${ENTRIES.toLocaleString('en')} audit entries`,
)

const PAGES: readonly (readonly [string, string])[] = [
  ['acme', '/'],
  ['acme', '/api-keys'],
  ['acme', '/api-keys/new'],
  ['acme', `/api-keys/${apiKey}`],
  ['acme', `/api-keys/${apiKey}/guide`],
  ['acme', '/applications'],
  ['acme', `/applications/${application}`],
  ['acme', `/applications/${application}/settings`],
  ['acme', `/applications/${application}/preview/frame`],
  ['alice', '/connected-applications'],
  ['acme', '/activity'],
  ['acme', '/token-inspector'],
  ['root', '/operator'],
  ['root', `/operator/clients/${apiKey}`],
  ['root', '/operator/accounts/acme'],
  ['root', '/operator/accounts/acme/revoke'],
  ['root', '/operator/signing-keys'],
  ['root', '/operator/health'],
  ['root', '/operator/audit'],
]

const file = await stylesheetPath()
const assets = await assetBytes()
const figures: Record<string, object> = {}
let isGood = true
for (const [person, path] of PAGES) {
  const address = `/console${path === '/' ? '' : path}`
  const visitor = far.host.visit(person)
  await visitor.get(address)
  const trips = (await link.of(() => visitor.get(address))).length
  const { status, body } = await near.host.visit(person).get(address)
  const bytes = Buffer.byteLength(body) + assets
  isGood &&= status === 200 && trips <= MAX_TRIPS && bytes <= MAX_BYTES
  figures[path.replace(apiKey, ':key').replace(application, ':application')] = {
    status,
    'round trips': trips,
    'CPU µs': Math.round(await cpuOf(person, address)),
    'HTML bytes': Buffer.byteLength(body),
    'HTML gzip': gzipSync(body).length,
    'with CSS and script': bytes,
  }
}
console.table(figures)
console.log(`stylesheet and script: ${assets} bytes with gzip`)
if (!isGood)
  console.log(
    'FAILED: a page made more than 5 round trips, had more than 30 kB, or was not answered with 200',
  )
for (const { host, redis } of [near, far]) {
  await host.close()
  redis.disconnect()
}
filling.disconnect()
await link.close()
await server.stop()
process.exit(isGood ? 0 : 1)

async function open(port: number) {
  const redis = new Redis(port, { enableAutoPipelining: true })
  const gatehouse = { storeTimeoutMs: 10_000, secret: 'a secret of the bench, which protects nothing' }
  const host = await startConsole({ store: redisStore(redis), gatehouse })
  return { host, redis }
}

async function createKeys(): Promise<void> {
  const first = await near.host.createApiKey()
  await importKeys(near.host.gatehouse, first.client_id, KEYS - 1, (number) => `Key ${number}`)
}

async function connectApplications(): Promise<void> {
  const lifecycle = createGrantLifecycle(store, {
    refreshToken: 30 * DAY_SECONDS,
    delegatedAccessToken: 3600,
  })
  const versions = await lifecycle.consentVersions.current({ accountId: 'alice' }, 'x')
  const now = Math.floor(Date.now() / 1000)
  for (let number = 0; number < CONNECTED; number += 1) {
    const { client_id: clientId } = await near.host.createApplication({ name: `Application ${number}` })
    const resources = { [near.host.audience]: 'invoices:read payments:list' }
    const record = {
      accountId: 'alice',
      clientId,
      iat: now - number,
      exp: now + DAY_SECONDS,
      versions,
      resources,
    }
    await lifecycle.records.create(`grant-${number}`, record, DAY_SECONDS)
    await lifecycle.activate(`grant-${number}`)
  }
}

async function stylesheetPath(): Promise<string> {
  const { body } = await near.host.visit('acme').get('/console')
  return /href="(\/console\/assets\/[^"]+)"/.exec(body)?.[1] ?? ''
}

/** The bytes of stylesheet and script as they are sent. */
async function assetBytes(): Promise<number> {
  const { body } = await near.host.visit('acme').get('/console')
  const paths = [...body.matchAll(/(?:href|src)="(\/console\/assets\/[^"]+)"/g)].map(([, path = '']) => path)
  const sizes = await Promise.all(
    paths.map(async (path) => {
      const { headers } = await near.host.visit().get(path, { 'accept-encoding': 'gzip' })
      return Number(headers.get('content-length'))
    }),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** CPU of the server a page, in µs: the median of five rounds, less that of a file in the same rounds, which is the client's. */
async function cpuOf(person: string, address: string): Promise<number> {
  const visitor = near.host.visit(person)
  const pages: number[] = []
  const files: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    files.push(await cpuOfTurns(() => visitor.get(file)))
    pages.push(await cpuOfTurns(() => visitor.get(address)))
  }
  return median(pages) - median(files)
}

/** CPU of this process a request, in µs. The client runs in this process too. */
async function cpuOfTurns(request: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  for (let turn = 0; turn < TURNS; turn += 1) await request()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / TURNS
}
