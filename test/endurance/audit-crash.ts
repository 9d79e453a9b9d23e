/**
 * Two processes make 20,000 changes, and one of them is killed (SIGKILL) while both make changes. Every change that was answered
 * must be in the audit trail, and no entry may be there twice for a reader that goes on from its cursor. Otherwise
 * the test fails. It prints the bytes of an entry and the commands of a change.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { redisStore } from '../../adapters/redis.ts'
import { createGatehouse } from '../../src/gatehouse/create-gatehouse.ts'
import { freePort } from '../support/free-port.ts'
import { startRedis } from '../support/redis-server.ts'
import type { Ask, AuditProcessOptions } from './audit-crash-process.ts'
import { startSlowLink } from '../support/round-trips.ts'
import { startProcess } from '../../bench/processes.ts'

/** The changes of each process, and the answered changes of both after which one process is killed. */
const CHANGES = 17_000
const KILL_AFTER = 9000
const TIMEOUT_MS = 180_000
/** Milliseconds after which another process completes what the killed process left. */
const ABANDONED_MS = 17_000

const server = await startRedis()
const { url: redisUrl } = server
const redis = new Redis(redisUrl)
const answered = new Set<string>()
const counts = { steady: 0, victim: 0 }
let steadyAtKill = 0

async function start(name: string) {
  const options: AuditProcessOptions = { redisUrl, port: await freePort(), name }
  return startProcess<Ask, string>(new URL('audit-crash-process.ts', import.meta.url), options, {
    onEvent(actor) {
      answered.add(actor)
      if (name in counts) counts[name as keyof typeof counts] += 1
      if (answered.size === KILL_AFTER) {
        steadyAtKill = counts.steady
        void victim.kill()
      }
    },
  })
}

const steady = await start('steady')
const victim = await start('victim')
const commandsBefore = await commands()
const startedAt = performance.now()
const failed = victim.ask('change', TIMEOUT_MS, CHANGES).catch(() => {})
await steady.ask('change', TIMEOUT_MS, CHANGES)
await victim.ended
await failed
const seconds = (performance.now() - startedAt) / 1000
const perChange = ((await commands()) - commandsBefore) / answered.size
await delay(ABANDONED_MS)

const later = await start('later')
await delay(5000)
const entries = await later.ask<{ id: string; actor?: string }[]>('read', TIMEOUT_MS)
const found = new Set(entries.map(({ actor }) => actor))
const lost = [...answered].filter((actor) => !found.has(actor))
const doubled = entries.length - new Set(entries.map(({ id }) => id)).size
const left = await redis.zcard('gatehouse:changes:unfinished').catch(() => -1)
let bytes = 0
for (const key of await redis.keys('gatehouse:audit:changes:*'))
  bytes += Number(await redis.memory('USAGE', key))

console.log(
  `answered changes: ${answered.size} (${counts.victim} of the killed process, when the other had made ${steadyAtKill}) in ${seconds.toFixed(1)} s`,
)
console.log(`entries: ${entries.length}; lost: ${lost.length}; doubled: ${doubled}; still pending: ${left}`)
console.log(`bytes of Redis an entry, with its lists: ${Math.round(bytes / entries.length)}`)
console.log(`commands of Redis a change, of all kinds: ${perChange.toFixed(1)}`)
await printRoundTrips()
process.exit(lost.length === 0 && doubled === 0 ? 0 : 1)

/** Prints the round trips of one change, and of the work after its answer. */
async function printRoundTrips(): Promise<void> {
  const link = await startSlowLink(server)
  const { apiKeys } = createGatehouse({
    issuer: 'http://localhost:3000/auth',
    audience: 'http://localhost:3000/api',
    secret: 'the secret of a measurement, in no use elsewhere',
    store: redisStore(new Redis(link.port)),
    accounts: { find: (id) => ({ id }) },
    products: {},
  })
  const { clientId } = (await apiKeys.create({ accountId: 'acme', name: 'Key' })).apiKey
  await apiKeys.update(clientId, { name: 'Key 1' }, { actor: 'ann' })
  const trips = await link.of(() => apiKeys.update(clientId, { name: 'Key 2' }, { actor: 'ann' }))
  console.log(`round trips of a change, with the work after its answer: ${trips.length}`)
  for (const trip of trips) console.log(`  ${trip.join(', ')}`)
}

async function commands(): Promise<number> {
  return Number(/total_commands_processed:(\d+)/.exec(await redis.info('stats'))?.[1])
}
