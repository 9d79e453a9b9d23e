import type { StoreCheck } from '../store/contract.ts'

/** One check: its subject, its result, and the remedy. */
export type HealthCheck = StoreCheck

/**
 * The health of a gatehouse or a gateway. It is plain data without tokens, secrets, keys or stored data, except for the
 * ids of API keys of gateways. Later versions may add fields.
 */
export interface Health {
  /**
   * For a gatehouse: whether tokens can be issued now. For a gateway: whether calls with a valid token are
   * accepted. False as soon as `shutdown()` was called.
   */
  readonly ready: boolean
  /** The worst status of `checks`; an unknown result counts as `warn`. */
  readonly status: 'pass' | 'warn' | 'fail'
  /** The checks. Each check that does not pass has a remedy in words. */
  readonly checks: readonly HealthCheck[]
  /** How fresh the known revocations are. */
  readonly revocations: RevocationHealth
}

/** How fresh the known revocations are. */
export interface RevocationHealth {
  /**
   * Whether this gateway has a source of revocations. Without a source, a revoked token is valid at this
   * gateway until the token expires.
   */
  readonly enabled: boolean
  /** Whether this process currently cannot receive new revocations. */
  readonly stale: boolean
  /** Seconds since this process last knew all revocations; undefined if it never knew all of them. */
  readonly ageSeconds: number | undefined
  /** The number of active revocations. */
  readonly count: number
}
