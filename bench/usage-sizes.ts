/**
 * Measures with MEMORY USAGE how many bytes usage takes in Redis: 1,000 clients call three operations on 28 days, in one
 * hour or in each hour of a block of six hours, and each day is merged. Also with the records of their accounts, if an
 * account has 100 clients or one. Also the counters of limits, and last addresses.
 * It starts its own Redis. `node bench/usage-sizes.ts` runs for about a minute, and needs Node 22.18 or later.
 */
import { Redis } from 'ioredis'
import { redisStore } from '../adapters/redis.ts'
import { clientIndexName } from '../src/clients/index-entries.ts'
import { createAccountUsage } from '../src/parts/usage/account-usage.ts'
import { createLastAddresses } from '../src/parts/usage/last-addresses.ts'
import { silentLogger } from '../src/host/logger.ts'
import { createUsageRecords, dayOf, subjectOfAccount } from '../src/parts/usage/usage-records.ts'
import { timedMember } from '../src/store/time-index.ts'
import { bytesOf as sumOf, keysInRedis } from '../test/support/keys-in-redis.ts'
import { startRedis } from '../test/support/redis-server.ts'

const CLIENTS = Array.from({ length: 1000 }, (_, at) => `key_${String(at).padStart(22, 'x')}`)
const DAYS = 28
const DAY_MS = 86_400_000
const START = Date.parse('2026-10-01T12:00:00Z')
const CALLS = {
  'POST /oauth2/token': { issued: 4 },
  'invoices:read': { ok: 1234 },
  'payments:list': { ok: 57 },
}

const server = await startRedis()
const redis = new Redis(server.url)
const store = redisStore(redis)
let clock = START
const plain = createUsageRecords(store, { days: 400, hourDays: 7, now: () => clock, logger: silentLogger })
/** No account, until `join` gives each account some clients. */
let accountIdOf = (_clientId: string): string | undefined => undefined
const registry = {
  async find(clientId: string) {
    const accountId = accountIdOf(clientId)
    return accountId === undefined ? undefined : ({ accountId } as never)
  },
}
const records = { ...plain, ...createAccountUsage({ registry, store, logger: silentLogger }, plain) }
const used = async () => sumOf(await keysInRedis(redis))
const forEachClient = (work: (clientId: string) => Promise<unknown>) => Promise.all(CLIENTS.map(work))

/** The bytes a client by which the memory grows. */
async function bytesOf(work: () => Promise<unknown>): Promise<number> {
  const before = await used()
  await work()
  return Math.round(((await used()) - before) / CLIENTS.length)
}

async function write(hours: readonly number[]) {
  const day = dayOf(clock)
  const source = `${day.replaceAll('-', '')}abcdefgh`
  const text = JSON.stringify(Object.fromEntries(hours.map((hour) => [hour, CALLS])))
  await forEachClient((clientId) =>
    records.write({ day, source, clientId, isFirst: true, hours: text, top: undefined }),
  )
  await records.storeAccounts()
}

async function join(clientsOfAccount: number): Promise<void> {
  accountIdOf = (clientId) => `account-${Math.floor(CLIENTS.indexOf(clientId) / clientsOfAccount)}`
  await forEachClient((id) => store.add(clientIndexName('apiKey', accountIdOf(id)), timedMember(START, id)))
}

const figures: Record<string, number> = {}
for (const [of, clientsOfAccount] of [
  ['', 0],
  [', with an account of 100', 100],
  [', with an account of its own', 1],
] as const) {
  await redis.flushall()
  clock = START
  if (clientsOfAccount > 0) await join(clientsOfAccount)
  figures[`six hours, calls in one${of}`] = await bytesOf(() => write([12]))
  await redis.flushall()
  if (clientsOfAccount > 0) await join(clientsOfAccount)
  figures[`six hours, calls in each${of}`] = await bytesOf(() => write([12, 13, 14, 15, 16, 17]))
  await redis.flushall()
  if (clientsOfAccount > 0) await join(clientsOfAccount)
  const merged = await bytesOf(async () => {
    for (let day = 0; day < DAYS; day += 1) {
      clock = START + day * DAY_MS
      await write([12])
      await forEachClient(records.mergeOldDays)
    }
    clock = START + (DAYS + 8) * DAY_MS
    const accounts = [...new Set(CLIENTS.map(accountIdOf))].map((id) => subjectOfAccount(id ?? ''))
    await Promise.all([...CLIENTS, ...accounts].map(records.mergeOldDays))
  })
  figures[`a merged day${of}`] = Math.round(merged / DAYS)
}
for (const [name, slotSeconds, slots] of [
  ['minute', 3, 20],
  ['day', 3600, 24],
] as const) {
  figures[`calls in a ${name}, limited`] = await bytesOf(() =>
    forEachClient(async (id) =>
      store.count?.(`limits:${name}:${id}`, 3, { slotSeconds, slots, claim: 0, max: 1000 }),
    ),
  )
}
const addresses = createLastAddresses(store, Date.now, async () => true)
for (const clientId of CLIENTS) addresses.record(clientId, '203.0.113.107')
figures['last address'] = await bytesOf(addresses.store)

console.table(figures)
await redis.quit()
await server.stop()
