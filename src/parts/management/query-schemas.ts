import * as v from 'valibot'
import { LIST_ORDERS } from '../../clients/owner-list.ts'
import { MAX_SEARCH_LENGTH } from '../front-door/search.ts'
import { KINDS } from '../../clients/walk-clients.ts'
import { LISTED_STATES } from '../../clients/why-no-token.ts'
import type { Dimension } from '../usage/list-usage.ts'
import { PAGE_LIMIT } from '../../validation/page-limit.ts'
import { timeAsSeconds } from './times.ts'

const limit = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(PAGE_LIMIT.max))

/** The query of a list. */
export const PageQuery = v.strictObject({ cursor: v.optional(v.string()), limit: v.optional(limit) })

/** The query of a list of clients that need attention. */
export const HygieneQuery = v.strictObject({
  kind: v.optional(v.picklist(KINDS)),
  ...PageQuery.entries,
})

/** The query of a list of clients that need attention, for operators. */
export const OperatorHygieneQuery = v.strictObject({
  accountId: v.optional(v.pipe(v.string(), v.description('Only clients of this account'))),
  ...HygieneQuery.entries,
})

/** The query of a list of the clients of one account. */
export const ClientQuery = v.strictObject({
  name: v.optional(
    v.pipe(v.string(), v.description('Only clients with this text in their name, in upper or lower case')),
  ),
  product: v.optional(v.string()),
  state: v.optional(
    v.pipe(
      v.picklist(LISTED_STATES),
      v.description('Only clients that get tokens, that get none, or that get none for this reason'),
    ),
  ),
  unusedSince: v.optional(timeAsSeconds('Only clients that got no token since this time')),
  sort: v.optional(
    v.pipe(
      v.picklist(LIST_ORDERS),
      v.description('`newest` without it; `last-used` begins with the latest use'),
    ),
  ),
  ...PageQuery.entries,
})

/** The query of a search. */
export const SearchQuery = v.strictObject({
  text: v.pipe(v.string(), v.minLength(1), v.maxLength(MAX_SEARCH_LENGTH)),
})

/** Names with commas between them, for a query. */
const dimensions = v.pipe(
  v.string(),
  v.description('What the rows are separated by, with commas'),
  v.transform((text) => text.split(',') as Dimension[]),
)

const period = {
  from: v.optional(
    timeAsSeconds('The list begins with the hour or day of this time. Without it: 30 days before `to`'),
  ),
  to: v.optional(timeAsSeconds('The list ends with the hour or day of this time. Without it: now')),
}

/** The query of a list of the usage of an account. */
export const UsageQuery = v.strictObject({
  clientId: v.optional(v.pipe(v.string(), v.description('Only calls of this client'))),
  ...period,
  by: v.optional(dimensions),
})

/** The query of a list of usage for operators. */
export const OperatorUsageQuery = v.strictObject({
  accountId: v.optional(v.pipe(v.string(), v.description('Only calls of the clients of this account'))),
  ...UsageQuery.entries,
})

/** The query of the clients with the most calls. */
export const TopClientsQuery = v.strictObject({
  ...period,
  limit: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100))),
})

/** The query of the operations that were not called. */
export const UncalledQuery = v.strictObject({
  clientId: v.optional(v.string()),
  days: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^\d{1,4}$/),
      v.description('Days in which they were not called. Without it: 90'),
      v.transform(Number),
    ),
  ),
})
