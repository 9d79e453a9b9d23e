import { optional, wholeNumber } from '../validation/rules.ts'

/** How many items a page of a list has, in code and in the management API: the default and the maximum of `limit`. */
export const PAGE_LIMIT = { byDefault: 50, max: 500 }

export const pageLimitRule = optional(wholeNumber(1, PAGE_LIMIT.max))
