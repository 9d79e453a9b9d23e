/** A moment by the clock that may jump and by the one that never does, both in milliseconds. */
export interface Moment {
  readonly steady: number
  readonly wall: number
}

/** Time by two clocks, for processes whose clock is put right, or whose machine sleeps. */
export interface ClockJumps {
  moment(): Moment
  /**
   * Milliseconds since a moment, by the clock that says more: the one that never jumps stands still while the
   * machine sleeps.
   */
  since(moment: Moment): number
  /** Whether the clock that may jump has jumped since this was asked the last time. */
  hasJumped(): boolean
}

/** Milliseconds by which the clock may differ from the time that has passed before it counts as a jump. */
const JUMP = 30_000

/** @param now milliseconds since the epoch, which may jump */
export function createClockJumps(now: () => number): ClockJumps {
  /** What the clock that may jump is ahead of the one that never does. */
  let difference: number | undefined

  return {
    moment: () => ({ steady: performance.now(), wall: now() }),
    since: ({ steady, wall }) => Math.max(performance.now() - steady, now() - wall),
    hasJumped() {
      const before = difference
      difference = now() - performance.now()
      return before !== undefined && Math.abs(difference - before) > JUMP
    },
  }
}
