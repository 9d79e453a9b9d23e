import { bad, good, warning } from '../store/check-results.ts'
import type { HealthCheck } from './health.ts'

/** Milliseconds of difference from which on clocks count as not synchronized. */
const SYNCHRONIZED = 1000
/** Seconds by which the clocks of processes may differ. */
const TOLERATED = 30

/**
 * Compares the clock of the database, which all processes share, with the one of this process.
 *
 * @param time milliseconds since the epoch at the database; undefined if it has none to compare with
 * @param asked when it was asked and when it had answered, by the clock of this process: somewhere in between the
 *   database looked at its own
 * @param tolerance seconds by which clocks may differ where that is less than otherwise
 * @returns undefined where there is nothing to compare with
 */
export function checkClock(
  time: number | undefined,
  asked: { readonly from: number; readonly until: number },
  tolerance: number = TOLERATED,
): HealthCheck | undefined {
  if (time === undefined) return undefined
  const name = 'store.clock'
  const [ahead, behind] = [Math.max(0, time - asked.until), Math.max(0, asked.from - time)]
  const difference = Math.max(ahead, behind)
  const limit = Math.min(TOLERATED, tolerance)
  if (difference <= SYNCHRONIZED) return good(name, 'the clocks of this process and of the database agree')
  const direction = ahead > 0 ? 'behind' : 'ahead of'
  const status = difference > limit * 1000 ? bad : warning
  return status(
    name,
    `the clock of this process is ${Math.round(difference / 100) / 10} s ${direction} the one of ` +
      `the database; processes may differ by ${limit} s`,
    'Synchronize the clocks of this machine and of the database (NTP, chrony); a virtual machine ' +
      'that was suspended may need a restart of that service',
  )
}
