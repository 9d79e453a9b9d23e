import { optional, wholeNumber } from './rules.ts'

/** The default and the maximum of `limit`, the number of items on a page, in code and in the management API. */
export const PAGE_LIMIT = { byDefault: 50, max: 500 }

export const pageLimitRule = optional(wholeNumber(1, PAGE_LIMIT.max))
