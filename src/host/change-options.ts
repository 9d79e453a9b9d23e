import { checkInput, hostIdRule, optional, type Fields, type Rule } from '../validation/rules.ts'
import type { AuditReason } from './audit-reason.ts'

/** Options of every change: who makes the change, for events and the audit trail. */
export interface ChangeOptions {
  /**
   * The host's name for the person or program that makes the change; at most 255 characters, without control
   * characters.
   */
  readonly actor?: string | undefined
  /**
   * The network address from which the change was requested, such as `ctx.ip`; at most 64 characters, without
   * control characters.
   */
  readonly address?: string | undefined
  /**
   * The program that requested the change, such as the header `User-Agent`; at most 1000 characters, without
   * control characters. The audit trail keeps the beginning: see `AuditEntry.userAgent`.
   */
  readonly userAgent?: string | undefined
}

/** The options of a change that removes access, with the reason for the change. */
export interface RemovalOptions extends ChangeOptions {
  /** For the audit trail. */
  readonly reason?: AuditReason | undefined
}

/** Where a leaked secret was found. */
export interface LeakOptions extends ChangeOptions {
  /**
   * The kind of place at which the secret was found, such as `commit`; at most 100 characters, without control
   * characters.
   */
  readonly leakSource?: string | undefined
  /**
   * The address at which the secret was found; at most 1000 characters, without control characters. The audit trail
   * stores it. `secrets.reportLeaked` removes the secret from it. `reportCompromised` cannot: it does not get the
   * secret.
   */
  readonly leakUrl?: string | undefined
}

/** The longest text that is recorded as a network address. */
export const MAX_ADDRESS_LENGTH = 64

export const changeFields = {
  actor: optional(hostIdRule),
  address: optional(lineRule(MAX_ADDRESS_LENGTH)),
  userAgent: optional(lineRule(1000)),
} satisfies Fields

/** The longest `leakSource` and `leakUrl`. */
export const MAX_LEAK_LENGTH = { source: 100, url: 1000 }

/** The rules of `LeakOptions`, without those of `ChangeOptions`. */
export const leakFields = {
  leakSource: optional(lineRule(MAX_LEAK_LENGTH.source)),
  leakUrl: optional(lineRule(MAX_LEAK_LENGTH.url)),
} satisfies Fields

/**
 * Checks the options of a change, or throws `ERR_INVALID_ARGUMENT`. `others` are the rules of all its options
 * except those of `ChangeOptions`.
 */
export function checkChange(name: string, options: object | undefined, others: Fields = {}): void {
  if (options !== undefined) checkInput(`invalid options (${name})`, options, { ...others, ...changeFields })
}

export function changeOptionsOf({ actor, address, userAgent }: ChangeOptions): ChangeOptions {
  return { actor, address, userAgent }
}

function lineRule(maxLength: number): Rule {
  return (value) =>
    typeof value === 'string' && value.length <= maxLength && /^[^\p{Cc}\p{Cs}\u2028\u2029]+$/u.test(value)
      ? undefined
      : `must be a text of 1 to ${maxLength} characters without control characters`
}
