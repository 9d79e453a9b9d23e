import { NORMAL_CLOCK_SKEW_SECONDS } from '../async/clock-tolerances.ts'
import { fail, pass, warn } from '../store/check-results.ts'
import { clockDifference, SYNCHRONIZED_MS, type Asked } from '../store/store-clock.ts'
import type { HealthCheck } from './health-report.ts'

/**
 * Compares the clock of this process with the clock of the database, which all processes share.
 *
 * @param time the clock of the database, in milliseconds since the epoch; undefined if the database has no
 *   clock
 * @param asked when this process asked the database
 * @returns undefined if there is no clock to compare
 */
export function checkClock(time: number | undefined, asked: Asked): HealthCheck | undefined {
  if (time === undefined) return undefined
  const name = 'store.clock'
  const ahead = clockDifference(time, asked)
  const difference = Math.abs(ahead)
  const limit = NORMAL_CLOCK_SKEW_SECONDS
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
