import type { createClockJumps, Moment } from './clock-jumps.ts'

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
