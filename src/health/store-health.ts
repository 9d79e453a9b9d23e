import { NORMAL_CLOCK_SKEW_SECONDS } from '../async/clock-tolerances.ts'
import type { Store } from '../store/contract.ts'
import type { StoreWithMemory } from '../store/met-corrupt-records.ts'
import { applicable, fail, nameSome, pass, unknown, warn } from '../store/check-results.ts'
import { clockDifference, SYNCHRONIZED_MS, type Asked } from '../store/store-clock.ts'
import type { HealthCheck } from './health-report.ts'
import { reasonOf } from './reason.ts'

/** Reads the health of a store. Never rejects. Takes at most as long as a store call may take. */
export type ReadStoreHealth = () => Promise<StoreHealth>

export interface StoreHealth {
  /** Whether the store answers, and does not report that it rejects writes. */
  readonly isUsable: boolean
  readonly checks: readonly HealthCheck[]
}

const SLOW_ANSWER_MS = 100
const REUSED_FOR_MS = 1000

/** Checks whether the store answers, how fast, its clock, and what is corrupt; at most once a second. */
export function storeHealthReader(
  store: Pick<StoreWithMemory, 'ping' | 'inspect' | 'volatile' | 'metCorrupt'>,
): ReadStoreHealth {
  /** When the store stopped answering, in milliseconds since the epoch; undefined while it answers. */
  let unavailableSince: number | undefined

  return cached(async () => {
    // Makes both calls at once, so that an unavailable store costs one timeout and not two.
    const [latency, inspected] = await Promise.allSettled([latencyOf(store), inspect(store)])
    if (latency.status === 'rejected') {
      unavailableSince ??= Date.now()
      return { isUsable: false, checks: [unavailable(latency.reason, unavailableSince)] }
    }
    unavailableSince = undefined
    const found = inspected.status === 'fulfilled' ? inspected.value : [notInspected(inspected.reason)]
    const met = store.metCorrupt?.list() ?? []
    const checks = [ANSWERS, checkLatency(latency.value), ...found, checkRecords(met)]
    return { isUsable: !checks.some(isRejectingWrites), checks }
  })
}

/** Any client can request the health report, and many requests must not cause many reads. */
function cached(read: ReadStoreHealth): ReadStoreHealth {
  let last: { readonly answer: Promise<StoreHealth>; until: number } | undefined

  return () => {
    if (last && performance.now() < last.until) return last.answer
    const reading = { answer: read(), until: Infinity }
    void reading.answer.then(() => (reading.until = performance.now() + REUSED_FOR_MS))
    last = reading
    return reading.answer
  }
}

async function latencyOf(store: Pick<Store, 'ping'>): Promise<number> {
  const startedAt = performance.now()
  await store.ping()
  return performance.now() - startedAt
}

async function inspect(store: Pick<Store, 'inspect' | 'volatile'>): Promise<HealthCheck[]> {
  const from = Date.now()
  const found = (await store.inspect?.()) ?? { checks: [] }
  const clock = checkClock(found.time, { from, until: Date.now() })
  const checks = found.checks.map((check) => ({ ...check, name: `store.${check.name}` }))
  const isMissing = store.volatile && !checks.some(({ name }) => name === NOT_PERSISTENT.name)
  return applicable(clock, ...checks, isMissing && NOT_PERSISTENT)
}

const ANSWERS = pass('store', 'the store answers')

const NOT_PERSISTENT = warn(
  'store.persistence',
  'the store is the memory of this process: when the process ends, all data is lost; other processes do not see the data',
  'This is fine for trials and tests. In production, use another store: docs/which-store.md compares them',
)

function checkRecords(keys: readonly string[]): HealthCheck {
  const name = 'store.records'
  if (keys.length === 0) return pass(name, 'this process has met no corrupt record within the last hour')
  return warn(
    name,
    `this process has met corrupt records within the last hour: ${nameSome(keys)}`,
    'Find the program that writes to these keys, and give it a key prefix of its own. Then restore the records: see ' +
      '"A corrupt record" in docs/redis-failures.md. This check passes an hour after the last one was met',
  )
}

function isRejectingWrites({ name, status }: HealthCheck): boolean {
  return name === 'store.writes' && status === 'fail'
}

function unavailable(error: unknown, since: number): HealthCheck {
  return fail(
    'store',
    `the store does not answer; first noticed at ${new Date(since).toISOString()}: ${reasonOf(error)}`,
    'Restore the database, and check the network, the address and the credentials of its client; this process needs no ' +
      'restart',
  )
}

function notInspected(error: unknown): HealthCheck {
  return unknown(
    'store.inspection',
    `the store answers, but its state could not be read: ${reasonOf(error)}`,
    'If this continues, check the load of the database and `storeTimeoutMs`',
  )
}

const CHECK_LOAD =
  'Check the load of the database and of this process, slow commands (SLOWLOG GET), and the network between the two'

function checkLatency(milliseconds: number): HealthCheck {
  const name = 'store.latency'
  const message = `the store answered within ${Math.ceil(milliseconds)} ms`
  if (milliseconds <= SLOW_ANSWER_MS) return pass(name, message)
  return warn(name, `${message}; every token request makes several calls`, CHECK_LOAD)
}

const SYNCHRONIZE =
  'Synchronize the clocks of this machine and of the database (NTP, chrony). If this is a virtual machine that was ' +
  'suspended, restart its time service'

/** `time` is the database's, in milliseconds since the epoch, and `asked` when this process asked. */
export function checkClock(time: number | undefined, asked: Asked): HealthCheck | undefined {
  if (time === undefined) return undefined
  const name = 'store.clock'
  const ahead = clockDifference(time, asked)
  const difference = Math.abs(ahead)
  const limit = NORMAL_CLOCK_SKEW_SECONDS
  if (difference <= SYNCHRONIZED_MS) {
    return pass(name, 'the clocks of this process and the database are synchronized')
  }
  const away = `${Math.round(difference / 100) / 10} s ${ahead > 0 ? 'behind' : 'ahead of'}`
  const message = `the clock of this process is ${away} that of the database; at most ${limit} s are tolerated`
  return (difference > limit * 1000 ? fail : warn)(name, message, SYNCHRONIZE)
}
