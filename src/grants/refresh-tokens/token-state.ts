// Model: test/proof/models/refresh-family.pml
import { digest } from '../../store/digest.ts'
import type { FamilyRecord } from './family-record.ts'
import { GRACE_SECONDS, type GracePeriod } from './grace-period.ts'
import type { RefreshTokenFormat } from './token-format.ts'

export interface TokenState {
  /**
   * `current`: the token is usable. `retryable`: the token was rotated within the grace period, so its
   * successor may be sent again. `used`: the token is genuine and was rotated, and its successor must not be
   * sent again.
   */
  readonly state: 'current' | 'retryable' | 'used'
  /** The successor of the token; set only if the state is `retryable`. */
  readonly next?: string | undefined
  /** Seconds since the token was rotated, if the state is `used` and the longest grace period could have covered it. */
  readonly afterSeconds?: number | undefined
}

/** The state of a refresh token; undefined if it is unknown or forged, or if its family is revoked. */
export function tokenState(
  record: FamilyRecord,
  token: string,
  now: number,
  { format, gracePeriod }: { format: RefreshTokenFormat; gracePeriod: GracePeriod | undefined },
): TokenState | undefined {
  if (record.ended) return undefined
  if (record.current === digest(token)) return { state: 'current' }
  const next = gracePeriod?.successorOf(token, record.last, now)
  if (next !== undefined && record.current === digest(next)) return { state: 'retryable', next }
  const { generation = Infinity } = format.parse(token) ?? {}
  if (generation >= record.generation || !format.isGenuine(token)) return undefined
  const age = generation === record.generation - 1 ? now - (record.issuedAt ?? 0) : Infinity
  const afterSeconds = age <= GRACE_SECONDS.max * 1000 ? Math.max(1, Math.ceil(age / 1000)) : undefined
  return { state: 'used', afterSeconds }
}
