import { NORMAL_CLOCK_SKEW_SECONDS } from '../async/clock-tolerances.ts'

/** The option `revocations.maxStalenessSeconds`. */
export const MAX_STALENESS_SECONDS = { byDefault: 60, max: 86_400 }

/** The default of the option `revocations.whenStale`. */
export const WHEN_STALE = 'serve'

export interface StalenessPolicy {
  readonly pollIntervalSeconds: number
  /** `serve`: tokens are checked against what is known. `reject`: only for `maxStalenessSeconds`. */
  readonly whenStale: 'serve' | 'reject'
  readonly maxStalenessSeconds: number
}

export interface RevocationFreshness {
  /** Whether the last poll failed, a poll is overdue, or no poll has succeeded yet. */
  readonly isStale: boolean
  /** Seconds since all revocations were known; if they never were, since the follower was created. */
  readonly ageSeconds: number
}

export interface Staleness {
  readonly policy: StalenessPolicy
  /**
   * Whether the last poll succeeded. `unknown`: no poll has succeeded yet. `rejected`: the authorization service has
   * rejected the key of this gateway, and no poll has succeeded since then.
   */
  readonly state: 'unknown' | 'fresh' | 'stale' | 'rejected'
  readonly freshAt: Moment
  readonly clocks: Pick<ReturnType<typeof createClockJumps>, 'since'>
}

/**
 * Whether all tokens must be rejected, because the revocations are too stale. A rejected key stays rejected until an
 * operator acts, so `whenStale` has no effect then: otherwise revoked tokens would be accepted until they expire.
 */
export function mustReject(staleness: Staleness): boolean {
  const { policy, state, freshAt, clocks } = staleness
  if (state === 'rejected' && isOverdue(staleness)) return true
  if (policy.whenStale === 'serve') return false
  return state === 'unknown' || clocks.since(freshAt) > policy.maxStalenessSeconds * 1000
}

export function isOverdue({ policy, freshAt, clocks }: Staleness): boolean {
  return clocks.since(freshAt) > 3 * policy.pollIntervalSeconds * 1000
}

export function freshnessOf(staleness: Staleness): RevocationFreshness {
  const { state, freshAt, clocks } = staleness
  return {
    isStale: state !== 'fresh' || isOverdue(staleness),
    ageSeconds: Math.round(clocks.since(freshAt) / 100) / 10,
  }
}

/** One moment on the steady clock, which never jumps, and on the wall clock, both in milliseconds. */
interface Moment {
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
