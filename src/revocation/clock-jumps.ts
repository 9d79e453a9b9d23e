import { NORMAL_CLOCK_SKEW_SECONDS } from '../async/clock-tolerances.ts'

/**
 * One moment on two clocks: on the steady clock, which never jumps, and on the wall clock, which may jump.
 * Both values are in milliseconds.
 */
export interface Moment {
  readonly steady: number
  readonly wall: number
}

/**
 * Measures how much time has passed, by two clocks. Neither clock is enough alone: the wall clock may be
 * corrected, and the steady clock stops while the machine sleeps.
 *
 * @param now the wall clock, in milliseconds since the epoch
 */
export function createClockJumps(now: () => number) {
  /** Milliseconds by which the wall clock is ahead of the steady clock. */
  let difference: number | undefined

  return {
    moment: () => ({ steady: performance.now(), wall: now() }),
    /**
     * Milliseconds since a moment: the larger value of the two clocks. After the machine has slept, the value of the
     * steady clock is too small. After the wall clock was set back, its value is too small.
     */
    since: ({ steady, wall }: Moment) => Math.max(performance.now() - steady, now() - wall),
    /** Whether this much time has passed since a moment by the wall clock alone. */
    isOnlyWallPast: ({ steady, wall }: Moment, milliseconds: number) =>
      now() - wall > milliseconds && performance.now() - steady <= milliseconds,
    /** Whether the wall clock has jumped since the previous call. */
    hasJumped(): boolean {
      const before = difference
      difference = now() - performance.now()
      return before !== undefined && Math.abs(difference - before) > NORMAL_CLOCK_SKEW_SECONDS * 1000
    },
  }
}
