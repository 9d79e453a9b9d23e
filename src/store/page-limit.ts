import { optional, wholeNumber } from '../validation/rules.ts'

/** The items on a page of a list in code and in the management API: without `limit`, and at most. */
export const PAGE_LIMIT = { byDefault: 50, max: 500 }

export const pageLimitRule = optional(wholeNumber(1, PAGE_LIMIT.max))
