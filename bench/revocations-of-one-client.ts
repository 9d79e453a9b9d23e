/**
 * Measures how much memory 100,000 revocations by one client (RFC 7009) occupy. The heap is measured before
 * and after these revocations, and a third time 61 seconds later, when one more token has been revoked. All
 * revoked tokens are different. A process needs to keep only the revocation of each token. The measurement
 * starts its own Redis. It fails if a revocation takes 1 kB or more, or if the heap grows during the 61
 * seconds. `node --expose-gc --max-old-space-size=384 bench/revocations-of-one-client.ts` runs for about 5
 * minutes, and needs Node 22.18 or later.
 */
import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { redisStore } from '../adapters/redis.ts'
import { internalsOf } from '../src/gatehouse/internals.ts'
import { signToken } from '../src/testing/mint-token.ts'
import { freePort } from '../test/support/free-port.ts'
import { startRedis } from '../test/support/redis-server.ts'
import { round } from './figures.ts'
import { startHost } from './host.ts'

const COUNT = 100_000
const PARALLEL = 32
/** The limit for the bytes of heap per revocation. */
const LIMIT_BYTES = 1000
/** A growth of the heap by less than this many megabytes is noise. */
const NOISE_MB = 2
const WAIT_MS = 61_000
const DEADLINE_MS = 2_400_000

setTimeout(() => {
  console.error(`not finished within ${DEADLINE_MS / 1000} s`)
  process.exit(1)
}, DEADLINE_MS).unref()

const server = await startRedis()
const redis = new Redis(server.url, { maxRetriesPerRequest: null })
const store = redisStore(redis)
const host = await startHost({ store, port: await freePort(), gatehouse: { storeTimeoutMs: 10_000 } })
const { apiKey, clientSecret } = await host.gatehouse.apiKeys.create({
  accountId: 'acme',
  name: 'Nightly export',
  products: ['invoices'],
})
const key = await internalsOf(host.gatehouse, 'this bench').signingKey()
const agent = new Agent({ keepAlive: true, maxSockets: PARALLEL })

await revokeMany(500)
const before = await heapMegabytes()
const started = performance.now()
for (let done = 0; done < COUNT; done += 10_000) {
  await revokeMany(10_000)
  console.log(`${done + 10_000} revocations, ${round(await heapMegabytes())} MB`)
}
const seconds = (performance.now() - started) / 1000
const after = await heapMegabytes()
await delay(WAIT_MS)
await revokeMany(1)
const later = await heapMegabytes()

const bytes = ((after - before) * 1e6) / COUNT
console.table({
  'MB of heap before': { figure: round(before) },
  [`MB after ${COUNT} revocations`]: { figure: round(after) },
  [`MB ${WAIT_MS / 1000} s later`]: { figure: round(later) },
  'bytes of heap per revocation': { figure: Math.round(bytes) },
  'revocations/s': { figure: Math.round(COUNT / seconds) },
})
console.log(`Node ${process.version}`)
if (!(bytes < LIMIT_BYTES) || !(later < after + NOISE_MB)) {
  console.error(
    `a revocation takes ${Math.round(bytes)} bytes, or the heap grew in the ${WAIT_MS / 1000} s after the revocations`,
  )
  process.exitCode = 1
}

agent.destroy()
await host.close()
await store.close()
redis.disconnect()
await server.stop()

async function revokeMany(count: number): Promise<void> {
  let left = count
  const loop = async () => {
    while (left > 0) {
      left -= 1
      await revoke(await makeToken())
    }
  }
  await Promise.all(Array.from({ length: PARALLEL }, loop))
}

function makeToken(): Promise<string> {
  return signToken(
    key,
    { issuer: host.issuer, audience: `${host.origin}/api`, lifetime: 864_000 },
    { accountId: 'acme', clientId: apiKey.clientId, scopes: ['invoices:read'] },
  )
}

function revoke(token: string): Promise<void> {
  const body = new URLSearchParams({ client_id: apiKey.clientId, client_secret: clientSecret, token })
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  return new Promise((resolve, reject) => {
    const outgoing = request(`${host.issuer}/oauth2/revoke`, { method: 'POST', agent, headers })
    outgoing.on('error', reject).on('response', (response) => {
      if (response.statusCode !== 200) reject(new Error(`HTTP ${response.statusCode}`))
      response.resume().on('end', resolve)
    })
    outgoing.end(body.toString())
  })
}

async function heapMegabytes(): Promise<number> {
  if (!globalThis.gc) throw new Error('run the script with --expose-gc')
  for (let turn = 0; turn < 3; turn += 1) {
    await delay(20)
    globalThis.gc()
  }
  return process.memoryUsage().heapUsed / 1e6
}
