import { exactObjectOf, notEmpty, optional, wholeNumber } from '../validation/rules.ts'

const MAX_CALLS = 1_000_000_000

/** The most API calls of a client. A limit that is left out does not apply. */
export interface CallLimits {
  /** Calls a minute, 1 to 1,000,000,000. */
  readonly perMinute?: number | undefined
  /** Calls a day, 1 to 1,000,000,000. */
  readonly perDay?: number | undefined
}

export const CALL_LIMITS = {
  perMinute: optional(wholeNumber(1, MAX_CALLS)),
  perDay: optional(wholeNumber(1, MAX_CALLS)),
}

/** Which limits of API calls a client may have of its own: at least one. */
export const callLimitsRule = notEmpty(exactObjectOf(CALL_LIMITS))
