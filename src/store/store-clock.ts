import { periodically } from '../async/periodically.ts'
import type { Logger } from '../host/logger.ts'
import type { Store } from './contract.ts'

/** Two clocks that differ by at most this many milliseconds count as synchronized. */
export const SYNCHRONIZED_MS = 1000

const INTERVAL_MS = 60_000

/** Two times on the clock of this process: before a request to the store, and after the answer. */
export interface Asked {
  readonly from: number
  readonly until: number
}

/** Milliseconds by which the store's clock is ahead at least; negative if behind. The store read `time` in `asked`. */
export function clockDifference(time: number, asked: Asked): number {
  return Math.max(0, time - asked.until) - Math.max(0, asked.from - time)
}

/**
 * A clock that shows the same time in all processes on a store: the clock of this process, corrected by the difference
 * from that of the store, if the store reports its time. If the clock of this process is set to another time, a
 * measurement begins. Until it ends, the created clock follows the monotonic clock (`performance.now`).
 */
export function createStoreClock(parts: { readonly store: Pick<Store, 'inspect'>; readonly logger: Logger }) {
  const { store, logger } = parts
  let difference = 0
  let isSkewed = false
  /** Milliseconds by which this process's clock was ahead of its monotonic clock at the last measurement. */
  let ahead: number | undefined
  let measuring: Promise<void> | undefined

  function report(): void {
    const wasSkewed = isSkewed
    isSkewed = Math.abs(difference) > SYNCHRONIZED_MS
    if (isSkewed && !wasSkewed) {
      const secondsAhead = Math.round(-difference / 100) / 10
      logger.warn({ secondsAhead }, 'the clock of this process differs from the clock of the store')
    } else if (wasSkewed && !isSkewed) {
      logger.info({}, 'the clocks of this process and of the store agree again')
    }
  }

  /** Measures the difference between the clocks. Never rejects. */
  const measure = () => (measuring ??= ask().finally(() => (measuring = undefined)))

  async function ask(): Promise<void> {
    const from = Date.now()
    const found = await store.inspect?.().catch(() => undefined)
    if (found?.time === undefined) return
    difference = clockDifference(found.time, { from, until: Date.now() })
    ahead = Date.now() - performance.now()
    report()
  }

  /** Negative if the clock was set back. Up to one second counts as 0. */
  function stepSinceMeasurement(): number {
    const step = ahead === undefined ? 0 : Date.now() - performance.now() - ahead
    if (Math.abs(step) <= SYNCHRONIZED_MS) return 0
    void measure()
    return step
  }

  return {
    /** Milliseconds since the epoch, a whole number. */
    now: () => Math.round(Date.now() + difference - stepSinceMeasurement()),
    measure,
    /** Measures every minute. @returns a function that stops the measurements */
    follow: () => (store.inspect ? periodically(measure, INTERVAL_MS) : () => {}),
  }
}
