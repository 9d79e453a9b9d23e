import type { StoreCheck } from '../store/contract.ts'

/** One thing that was looked at, what was found, and what to do about it. */
export type HealthCheck = StoreCheck

/**
 * How a gatehouse or a gateway is doing. Plain data without tokens, secrets, keys, or anything that is stored; later
 * versions may have more.
 */
export interface Health {
  /**
   * Of a gatehouse: whether tokens can be issued now. Of a gateway: whether calls with a good token are let through.
   */
  readonly ready: boolean
  /** The worst of `checks`; what is unknown counts as a warning. */
  readonly status: 'good' | 'warning' | 'bad'
  /** What was looked at, each with the fix in words where it is not good. */
  readonly checks: readonly HealthCheck[]
  /** How well it is known which tokens were taken back. */
  readonly revocations: RevocationHealth
}

/** How well it is known which tokens were taken back. */
export interface RevocationHealth {
  /** Whether anybody tells this gateway; without, a token that was taken back is good here until it expires. */
  readonly followed: boolean
  /** Whether they cannot be heard of at the moment. */
  readonly lost: boolean
  /** Seconds since all of them were known; undefined where they never were. */
  readonly ageSeconds: number | undefined
  /** How many are in force. */
  readonly live: number
}
