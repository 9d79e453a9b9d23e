import { oneOf, countRule, stringRule, objectOf, optional, type Fields } from '../../validation/rules.ts'
import type { LastRotation } from './grace-period.ts'

/** The data that a refresh token stands for; opaque here. */
export type RefreshPayload = Readonly<Record<string, unknown>>

/** The stored record of a refresh token family. */
export interface FamilyRecord {
  /** The number of tokens before the current one. */
  readonly generation: number
  /** Digest of the one token that is usable now; empty in a family without a usable token. */
  readonly current: string
  readonly payload: RefreshPayload
  /**
   * Milliseconds since the epoch, immediately before the current token was stored. Absent in records of older
   * versions.
   */
  readonly issuedAt?: number | undefined
  /** The rotation that produced the current token, if clients have a grace period. */
  readonly last?: LastRotation | undefined
  /**
   * The family is revoked. The record is kept for a while, so that a pending code exchange cannot start the family again.
   */
  readonly ended?: true
  /** A new random value each time a write is rolled back. A late write then finds nothing to replace. */
  readonly barrier?: string
}

/** The fields of a valid record. */
export const FAMILY: Fields = {
  generation: countRule,
  current: stringRule,
  payload: objectOf({
    iat: optional(countRule),
    exp: optional(countRule),
    accountId: optional(stringRule),
    clientId: optional(stringRule),
    grantId: optional(stringRule),
    scope: optional(stringRule),
  }),
  issuedAt: optional(countRule),
  last: optional(
    objectOf({ of: stringRule, at: countRule, next: stringRule, repeated: optional(oneOf(true)) }),
  ),
  ended: optional(oneOf(true)),
  barrier: optional(stringRule),
}
