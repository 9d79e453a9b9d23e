import { LIST_ORDERS } from '../../clients/owner-list.ts'
import { MAX_SEARCH_LENGTH } from '../front-door/search.ts'
import { KINDS } from '../../clients/walk-clients.ts'
import { LISTED_STATES } from '../../clients/why-no-token.ts'
import type { Dimension } from '../usage/list-usage.ts'
import * as json from '../../validation/json-rules.ts'
import { PAGE_LIMIT } from '../../validation/page-limit.ts'
import { ruleWith } from '../../validation/rules.ts'

const { choice, exactObject, integer, optional, text, textOf, time } = json
const id = optional(text)

const page = {
  cursor: optional(text),
  limit: optional(integer({ minimum: 1, maximum: PAGE_LIMIT.max })),
}

const hygiene = { kind: optional(choice(KINDS)), ...page }

const audit = { ...page, trail: optional(choice(['changes', 'failures'])), clientId: id }

const period = {
  from: optional(time, 'The list begins with the hour or day of this time. Without it: 30 days before `to`'),
  to: optional(time, 'The list ends with the hour or day of this time. Without it: now'),
}

/** Names with commas between them. */
const dimensions = ruleWith<Dimension[]>(text, {
  ...text,
  read: (names) => String(names).split(',') as Dimension[],
})

const usage = {
  clientId: optional(text, 'Only calls of this client'),
  ...period,
  by: optional(dimensions, 'What the rows are separated by, with commas'),
}

const digits = textOf({ pattern: '^\\d{1,4}$' })

/** The query of a list. */
export const PageQuery = exactObject(page)

/** The query of a list of clients that need attention. */
export const HygieneQuery = exactObject(hygiene)

/** The query of a list of clients that need attention, for operators. */
export const OperatorHygieneQuery = exactObject({
  accountId: optional(text, 'Only clients of this account'),
  ...hygiene,
})

/** The query of a list of the clients of one account. */
export const ClientQuery = exactObject({
  name: optional(text, 'Only clients with this text in their name, in upper or lower case'),
  product: id,
  state: optional(
    choice(LISTED_STATES),
    'Only clients that get tokens, that get none, or that get none for this reason',
  ),
  unusedSince: optional(time, 'Only clients that got no token since this time'),
  sort: optional(choice(LIST_ORDERS), '`newest` without it; `last-used` begins with the latest use'),
  ...page,
})

/** The query of a search. */
export const SearchQuery = exactObject({
  text: textOf({ minLength: 1, maxLength: MAX_SEARCH_LENGTH }),
})

/** The query of the audit trail of an account. */
export const AuditQuery = exactObject(audit)

/** The query of the whole audit trail. */
export const OperatorAuditQuery = exactObject({ ...audit, accountId: id, actor: id })

/** The query of a list of the usage of an account. */
export const UsageQuery = exactObject(usage)

/** The query of a list of usage for operators. */
export const OperatorUsageQuery = exactObject({
  accountId: optional(text, 'Only calls of the clients of this account'),
  ...usage,
})

/** The query of the clients with the most calls. */
export const TopClientsQuery = exactObject({
  ...period,
  limit: optional(integer({ minimum: 1, maximum: 100 })),
})

/** The query of the operations that were not called. */
export const UncalledQuery = exactObject({
  clientId: id,
  days: optional(
    ruleWith(digits, { ...digits, read: Number }),
    'Days in which they were not called. Without it: 90',
  ),
})
