/**
 * The audit trail with 1,000,000 entries: what a page of a list costs, and the memory of Redis. It fails if a page takes
 * more than three round trips. It starts its own Redis, and needs Node 22.18 or later.
 */
import { Redis } from 'ioredis'
import { redisStore } from '../adapters/redis.ts'
import { createAudit } from '../src/audit/audit.ts'
import type { AuditListOptions } from '../src/audit/check-options.ts'
import { fillTrail, LARGE_ACCOUNT, SMALL_ACCOUNT } from '../test/support/fill-trail.ts'
import { startRedis } from '../test/support/redis-server.ts'
import { startSlowLink } from '../test/support/round-trips.ts'
import { median, round } from './figures.ts'

const COUNT = 1_000_000
const MAX_TRIPS = 3
const TURNS = 50

const LISTS: Readonly<Record<string, AuditListOptions>> = {
  'all entries': {},
  'all entries, 500 a page': { limit: 500 },
  'an account with 10,000 entries': { accountId: LARGE_ACCOUNT },
  'an account with 10,000 entries, 500 a page': { accountId: LARGE_ACCOUNT, limit: 500 },
  'an account with one entry': { accountId: SMALL_ACCOUNT },
  'a client with 200 entries': { clientId: `key_${'7'.padStart(22, '0')}` },
  'an actor with 500 entries': { actor: 'person-7' },
}

const server = await startRedis()
const filling = new Redis(server.url, { enableAutoPipelining: true })
const started = performance.now()
await fillTrail(redisStore(filling), COUNT)
console.log(`${COUNT.toLocaleString('en')} entries in ${Math.round((performance.now() - started) / 1000)} s`)
const used = Number(/used_memory:(\d+)/.exec(await filling.info('memory'))?.[1])
console.log(`Redis uses ${Math.round(used / 1e6)} MB, ${Math.round(used / COUNT)} bytes an entry`)

const link = await startSlowLink(server)
const [near, far] = [open(server.port), open(link.port)]
const figures: Record<string, object> = {}
let isGood = true
for (const [what, options] of Object.entries(LISTS)) {
  const { cursor } = await near.audit.list(options)
  for (const [page, at] of Object.entries({ first: options, second: { ...options, cursor } })) {
    if (page === 'second' && cursor === undefined) continue
    const trips = (await link.of(() => far.audit.list(at))).length
    isGood &&= trips <= MAX_TRIPS
    const times: number[] = []
    let count = 0
    for (let turn = 0; turn < TURNS; turn += 1) {
      const before = performance.now()
      count = (await near.audit.list(at)).items.length
      times.push(performance.now() - before)
    }
    figures[`${what}: ${page} page`] = { entries: count, 'round trips': trips, ms: round(median(times)) }
  }
}
console.table(figures)
for (const { redis } of [near, far]) redis.disconnect()
filling.disconnect()
await link.close()
await server.stop()
if (!isGood) console.log('FAILED: a page took more than three round trips')
process.exit(isGood ? 0 : 1)

function open(port: number) {
  const redis = new Redis(port)
  const nothing = () => {}
  const audit = createAudit({
    store: redisStore(redis),
    bounds: { maxAgeDays: 90, maxEntries: COUNT, maxFailures: 100_000 },
    logger: { debug: nothing, info: nothing, warn: nothing, error: nothing },
  })
  return { redis, audit }
}
