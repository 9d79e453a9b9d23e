/**
 * Measures the background work that lets the secrets of 100,000 clients of an older version lead to their clients: its
 * time, the bytes that it adds to Redis, and the rate of token requests meanwhile, compared with the rate without it. It
 * fails if the rate falls below 0.9. The measurement starts its own Redis. `node bench/index-clients.ts` runs for about
 * nine minutes, and needs Node 22.18 or later.
 */
import { randomBytes } from 'node:crypto'
import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { redisStore } from '../adapters/redis.ts'
import { createIndexCompletion } from '../src/clients/complete-indexes.ts'
import { clientRecords, type ClientRecord } from '../src/clients/client-record.ts'
import { createSecretOwners } from '../src/clients/secret-owners.ts'
import { hashOf } from '../src/clients/stored-secrets.ts'
import { silentLogger } from '../src/host/logger.ts'
import { timedMember } from '../src/store/time-index.ts'
import { freePort } from '../test/support/free-port.ts'
import { startRedis } from '../test/support/redis-server.ts'
import { median, round } from './figures.ts'
import { startHost } from './host.ts'
import { forEach } from './in-parallel.ts'

const COUNT = 100_000
const CONNECTIONS = 8
const PAIRS = 12
const ROUND_MS = 8000
const MIN_RATIO = 0.9
const DEADLINE_MS = 900_000

setTimeout(() => {
  console.error(`not finished within ${DEADLINE_MS / 1000} s`)
  process.exit(1)
}, DEADLINE_MS).unref()

const server = await startRedis()
const redis = new Redis(server.url, { enableAutoPipelining: true })
const store = redisStore(redis)
await store.set('clients-indexed', '1')
const { gatehouse, origin, close } = await startHost({ store, port: await freePort() })
const { apiKey, clientSecret } = await gatehouse.apiKeys.create({
  accountId: 'acme',
  name: 'Nightly export',
  products: ['invoices'],
})
const hashes = await fill()
await store.delete('clients-indexed')

const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
const form = `grant_type=client_credentials&client_id=${apiKey.clientId}&client_secret=${clientSecret}`
await rateUntil(delay(5000))

// The rate of a shared machine changes within minutes, so rounds with and without the work take turns.
const completion = createIndexCompletion(store, silentLogger)
const bytesBefore = await usedBytes()
const rates: { without: number; meanwhile: number }[] = []
for (let pair = 0; pair < PAIRS; pair += 1) {
  const without = await rateUntil(delay(ROUND_MS))
  const pause = completion.start()
  rates.push({ without, meanwhile: await rateUntil(delay(ROUND_MS)) })
  await pause()
}
const ratio = median(rates.map(({ without, meanwhile }) => meanwhile / without))

// A stopped work begins again, so this is the time of the whole work.
const began = performance.now()
const stop = completion.start()
await rateUntil(completion.isComplete(DEADLINE_MS))
const seconds = (performance.now() - began) / 1000
await stop()
const bytes = (await usedBytes()) - bytesBefore

const found = await createSecretOwners(store).find(hashes)
const missing = found.filter((owner) => owner === undefined).length
console.log(`${COUNT} clients were indexed in ${round(seconds)} s; ${missing} are missing`)
console.log(`Redis grew by ${round(bytes / 1e6)} MB, ${Math.round(bytes / COUNT)} bytes a client`)
const middle = (of: 'without' | 'meanwhile') => Math.round(median(rates.map((each) => each[of])))
console.log(
  `token requests a second, medians of ${PAIRS} pairs: ${middle('without')} without, ${middle('meanwhile')} meanwhile: ${round(ratio)}`,
)
agent.destroy()
await close()
redis.disconnect()
await server.stop()
if (missing > 0 || ratio < MIN_RATIO) console.log('FAILED')
process.exit(missing > 0 || ratio < MIN_RATIO ? 1 : 0)

/** Writes clients as an older version did: with their lists, and without the index of secrets. @returns their hashes */
async function fill(): Promise<string[]> {
  const records = clientRecords(store)
  const template = (await records.get(apiKey.clientId)) as ClientRecord
  return forEach(COUNT, async (index) => {
    const clientId = `key_old_${index}`
    const hash = hashOf(randomBytes(32).toString('base64url'))
    const listedAt = template.listedAt - COUNT + index
    await Promise.all([
      records.create(clientId, {
        ...template,
        client: { ...template.client, clientId, accountId: `account-${index % 10_000}` },
        secrets: [{ hash, createdAt: template.client.createdAt }],
        listedAt,
      }),
      store.add('clients:apiKey', timedMember(listedAt, clientId)),
    ])
    return hash
  })
}

/** The token requests a second until a promise settles. */
async function rateUntil(end: Promise<unknown>): Promise<number> {
  let isOver = false
  void end.finally(() => (isOver = true))
  let count = 0
  const start = performance.now()
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      for (; !isOver; count += 1) await requestToken()
    }),
  )
  return (count * 1000) / (performance.now() - start)
}

function requestToken(): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded', 'Content-Length': form.length }
    const sent = request(`${origin}/auth/oauth2/token`, { method: 'POST', agent, headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`the answer has the status ${response.statusCode}`))
      response.resume().on('end', resolve)
    })
    sent.on('error', reject).end(form)
  })
}

async function usedBytes(): Promise<number> {
  const info = await redis.info('memory')
  return Number(/used_memory:(\d+)/.exec(info)?.[1])
}
