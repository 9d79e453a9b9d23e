import { exactObjectOf, notEmpty, optional, wholeNumber } from '../validation/rules.ts'

/** The most API calls of a client. A limit that is left out does not apply. */
export interface CallLimits {
  /** Calls a minute, 1 to 1,000,000,000. */
  readonly perMinute?: number | undefined
  /** Calls a day, 1 to 1,000,000,000. */
  readonly perDay?: number | undefined
}

const limit = optional(wholeNumber(1, 1_000_000_000))

/** The rule for limits: at least one. */
export const callLimitsRule = notEmpty(exactObjectOf({ perMinute: limit, perDay: limit }))
