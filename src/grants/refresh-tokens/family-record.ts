// Model: test/proof/models/refresh-family.pml
import { oneOf, countRule, stringRule, objectOf, optional, type Fields } from '../../validation/rules.ts'
import type { LastRotation } from './grace-period.ts'

/** The data of a refresh token. Families store the data and do not interpret it. */
export type RefreshPayload = Readonly<Record<string, unknown>>

/** The stored record of a refresh token family. */
export interface FamilyRecord {
  /** The number of earlier tokens in the family: 0 for the first token. */
  readonly generation: number
  /** Digest of the current token, the only usable token; empty if the family has no usable token. */
  readonly current: string
  readonly payload: RefreshPayload
  /** Just before the current token was written, in epoch milliseconds; absent without a usable token. */
  readonly issuedAt?: number | undefined
  /** The rotation that produced the current token; absent if clients have no grace period. */
  readonly last?: LastRotation | undefined
  /** The family is revoked. The record stays for a while, so that no pending code exchange starts the family again. */
  readonly ended?: true
  /**
   * A random value that each rollback replaces. A write succeeds only if the text of the record is still the text
   * that the process has read. So an earlier write that arrives after the rollback fails.
   */
  readonly barrier?: string
}

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
    objectOf({
      of: stringRule,
      at: countRule,
      seconds: optional(countRule),
      next: stringRule,
      repeated: optional(oneOf(true)),
    }),
  ),
  ended: optional(oneOf(true)),
  barrier: optional(stringRule),
}
