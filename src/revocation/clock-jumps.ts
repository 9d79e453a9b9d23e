import { NORMAL_CLOCK_SKEW_SECONDS } from '../async/clock-tolerances.ts'

/** One moment on the steady clock, which never jumps, and on the wall clock, both in milliseconds. */
export interface Moment {
  readonly steady: number
  readonly wall: number
}

/**
 * Measures how much time has passed, by two clocks. Neither clock is enough alone: the wall clock may be
 * corrected, and the steady clock stops while the machine sleeps.
 */
export function createClockJumps(now: () => number) {
  let difference: number | undefined

  return {
    moment: () => ({ steady: performance.now(), wall: now() }),
    /** After a sleep of the machine the steady clock is behind, after a correction the wall clock. */
    since: ({ steady, wall }: Moment) => Math.max(performance.now() - steady, now() - wall),
    isOnlyWallPast: ({ steady, wall }: Moment, milliseconds: number) =>
      now() - wall > milliseconds && performance.now() - steady <= milliseconds,
    hasJumped(): boolean {
      const before = difference
      difference = now() - performance.now()
      return before !== undefined && Math.abs(difference - before) > NORMAL_CLOCK_SKEW_SECONDS * 1000
    },
  }
}
