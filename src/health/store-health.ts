import type { Store, StoreInspection } from '../store/contract.ts'
import { bad, good, unknown, warning } from '../store/check-results.ts'
import type { HealthCheck } from './health.ts'
import { checkClock } from './clock-check.ts'
import { cacheFor } from '../async/cache-for.ts'
import { reasonOf } from './reason.ts'

/** Looks at a store. */
export interface StoreHealth {
  /** What was found, at most a second ago. Never rejects; takes as long as a call to the store may. */
  look(): Promise<StoreHealthResult>
}

/** What was found. */
export interface StoreHealthResult {
  /** Whether it answers, and takes writes as far as it says. */
  readonly isUsable: boolean
  readonly checks: readonly HealthCheck[]
}

/** Milliseconds from which on an answer counts as slow. */
const SLOW = 100
/** Milliseconds for which an answer is kept. */
const KEPT = 1000

/**
 * Looks at a store when asked.
 *
 * @param store with a deadline on its calls
 * @param tolerance seconds by which clocks may differ; see `checkClock`
 */
export function createStoreHealth(
  store: Pick<Store, 'ping' | 'inspect' | 'volatile'>,
  tolerance?: number,
): StoreHealth {
  /** When it was found not to answer for the first time since it last did: milliseconds since the epoch. */
  let awaySince: number | undefined

  async function look(): Promise<StoreHealthResult> {
    // At the same time, so that a store that is away is waited for once.
    const [ping, inspection] = await Promise.allSettled([timed(() => store.ping()), inspect()])
    if (ping.status === 'rejected') {
      awaySince ??= Date.now()
      return { isUsable: false, checks: [away(ping.reason, awaySince)] }
    }
    awaySince = undefined
    const checks = [ANSWERS, checkLatency(ping.value), ...inspected(inspection)]
    return { isUsable: !checks.some(isRejectingWrites), checks }
  }

  async function inspect(): Promise<{ found: StoreInspection; clock: HealthCheck | undefined }> {
    const startedAt = Date.now()
    const found = (await store.inspect?.()) ?? { checks: [] }
    const clock = checkClock(found.time, { from: startedAt, until: Date.now() }, tolerance)
    return { found, clock }
  }

  function inspected(outcome: PromiseSettledResult<Awaited<ReturnType<typeof inspect>>>): HealthCheck[] {
    if (outcome.status === 'rejected') return [notInspected(outcome.reason)]
    const { found, clock } = outcome.value
    const checks = found.checks.map((check) => ({ ...check, name: `store.${check.name}` }))
    const known = [clock ?? [], checks].flat()
    return store.volatile && !known.some(({ name }) => name === FORGETS.name) ? [...known, FORGETS] : known
  }

  return { look: cacheFor(KEPT, look) }
}

const ANSWERS = good('store', 'the store answers')

const FORGETS = warning(
  'store.persistence',
  'the store is the memory of this process: everything is forgotten when it ends, and other ' +
    'processes do not see it',
  'Fine for trials and tests; in production use redisStore(client)',
)

function isRejectingWrites({ name, status }: HealthCheck): boolean {
  return name === 'store.writes' && status === 'bad'
}

function away(error: unknown, since: number): HealthCheck {
  return bad(
    'store',
    `the store does not answer, as was first seen at ${new Date(since).toISOString()}: ${reasonOf(error)}`,
    'Bring the database back, and look at the network, the address and the credentials of its ' +
      'client; nothing here needs to be restarted',
  )
}

function notInspected(error: unknown): HealthCheck {
  return unknown(
    'store.inspection',
    `the store answers, but did not tell about itself: ${reasonOf(error)}`,
    'If this stays so, look at the load of the database and at `storeTimeoutMs`',
  )
}

function checkLatency(milliseconds: number): HealthCheck {
  const name = 'store.latency'
  const message = `the store answered within ${Math.ceil(milliseconds)} ms`
  if (milliseconds <= SLOW) return good(name, message)
  return warning(
    name,
    `${message}; every token takes several answers`,
    'Look at the load of the database and of this process, at slow commands (SLOWLOG GET), and ' +
      'at the network between the two',
  )
}

/** Milliseconds that something takes; a synchronous failure is one like any other. */
async function timed(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}
