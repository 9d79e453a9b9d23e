import { NORMAL_CLOCK_SKEW_SECONDS } from '../async/clock-tolerances.ts'

/** A time by the wall clock, which may jump, and by the steady clock, which never jumps; both in milliseconds. */
export interface Moment {
  readonly steady: number
  readonly wall: number
}

/**
 * Measures time by two clocks, because the wall clock may be corrected, and the machine may sleep.
 *
 * @param now the wall clock, in milliseconds since the epoch
 */
export function createClockJumps(now: () => number) {
  /** Milliseconds by which the wall clock is ahead of the steady clock. */
  let difference: number | undefined

  return {
    moment: () => ({ steady: performance.now(), wall: now() }),
    /**
     * Milliseconds since a moment. Of the two clocks, the higher value counts, because the steady clock stops while the
     * machine sleeps.
     */
    since: ({ steady, wall }: Moment) => Math.max(performance.now() - steady, now() - wall),
    /** Whether the wall clock has jumped since the previous call. */
    hasJumped(): boolean {
      const before = difference
      difference = now() - performance.now()
      return before !== undefined && Math.abs(difference - before) > NORMAL_CLOCK_SKEW_SECONDS * 1000
    },
  }
}
