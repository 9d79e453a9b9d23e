import { is, isCount, isText, objectOf, optional, type Fields } from '../../validation/shape.ts'
import type { LastExchange } from './retry-window.ts'

/** What stands behind a refresh token; opaque here. */
export type RefreshPayload = Readonly<Record<string, unknown>>

/** What is stored of a family of refresh tokens. */
export interface FamilyRecord {
  /** How many tokens came before the current one. */
  readonly generation: number
  /** Digest of the one token that is usable now; empty if there is none. */
  readonly current: string
  readonly payload: RefreshPayload
  /** Milliseconds since the epoch at which the current token was about to be stored; none in those of older versions. */
  readonly issuedAt?: number | undefined
  /** How the current token came to be, where clients may ask for it once more. */
  readonly last?: LastExchange | undefined
  /** The family is over. Kept for a while, so that a code in flight cannot start it again. */
  readonly ended?: true
  /** Different each time a write was taken back, so that it finds nothing to replace if it comes late. */
  readonly barrier?: string
}

/** What a record must have that was read. */
export const FAMILY: Fields = {
  generation: isCount,
  current: isText,
  payload: objectOf({
    iat: optional(isCount),
    exp: optional(isCount),
    accountId: optional(isText),
    clientId: optional(isText),
    grantId: optional(isText),
    scope: optional(isText),
  }),
  issuedAt: optional(isCount),
  last: optional(objectOf({ of: isText, at: isCount, next: isText, repeated: optional(is(true)) })),
  ended: optional(is(true)),
  barrier: optional(isText),
}
