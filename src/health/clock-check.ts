import { NORMAL_CLOCK_SKEW_SECONDS } from '../async/clock-tolerances.ts'
import { fail, pass, warn } from '../store/check-results.ts'
import type { HealthCheck } from './health-report.ts'

/** Milliseconds up to which two clocks count as synchronized. */
const SYNCHRONIZED_MS = 1000

/**
 * Compares the clock of this process with the clock of the database, which all processes share.
 *
 * @param time the clock of the database, in milliseconds since the epoch; undefined if the database has no
 *   clock
 * @param asked the times on the clock of this process before the request and after the answer. The database
 *   has read its own clock between these two times
 * @param tolerance how many seconds the two clocks may differ. A value above `NORMAL_CLOCK_SKEW_SECONDS` has
 *   no effect
 * @returns undefined if there is no clock to compare
 */
export function checkClock(
  time: number | undefined,
  asked: { readonly from: number; readonly until: number },
  tolerance: number = NORMAL_CLOCK_SKEW_SECONDS,
): HealthCheck | undefined {
  if (time === undefined) return undefined
  const name = 'store.clock'
  const [ahead, behind] = [Math.max(0, time - asked.until), Math.max(0, asked.from - time)]
  const difference = Math.max(ahead, behind)
  const limit = Math.min(NORMAL_CLOCK_SKEW_SECONDS, tolerance)
  if (difference <= SYNCHRONIZED_MS) {
    return pass(name, 'the clocks of this process and the database are synchronized')
  }
  const direction = ahead > 0 ? 'behind' : 'ahead of'
  const result = difference > limit * 1000 ? fail : warn
  return result(
    name,
    `the clock of this process is ${Math.round(difference / 100) / 10} s ${direction} the clock of ` +
      `the database; at most ${limit} s are tolerated`,
    'Synchronize the clocks of this machine and of the database (NTP, chrony). If this is a virtual machine that was ' +
      'suspended, restart its time service',
  )
}
