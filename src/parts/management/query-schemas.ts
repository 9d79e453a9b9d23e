import { LIST_ORDERS } from '../../clients/owner-list.ts'
import { MAX_SEARCH_LENGTH } from '../front-door/search.ts'
import { KINDS } from '../../clients/walk-clients.ts'
import { LISTED_STATES } from '../../clients/why-no-token.ts'
import type { Dimension } from '../usage/list-usage.ts'
import * as json from '../../validation/json-rules.ts'
import { PAGE_LIMIT } from '../../validation/page-limit.ts'
import { ruleWith } from '../../validation/rules.ts'

const id = json.optional(json.text)

const page = {
  cursor: json.optional(json.text),
  limit: json.optional(json.integer({ minimum: 1, maximum: PAGE_LIMIT.max })),
}

const hygiene = { kind: json.optional(json.choice(KINDS)), ...page }

const audit = { ...page, trail: json.optional(json.choice(['changes', 'failures'])), clientId: id }

const period = {
  from: json.optional(
    json.time,
    'The list begins with the hour or day of this time. Without it: 30 days before `to`',
  ),
  to: json.optional(json.time, 'The list ends with the hour or day of this time. Without it: now'),
}

/** Names with commas between them. */
const dimensions = ruleWith<Dimension[]>(json.text, {
  ...json.text,
  read: (names) => String(names).split(',') as Dimension[],
})

const usage = {
  clientId: json.optional(json.text, 'Only calls of this client'),
  ...period,
  by: json.optional(dimensions, 'What the rows are separated by, with commas'),
}

const digits = json.textOf({ pattern: '^\\d{1,4}$' })

/** The query of a list. */
export const PageQuery = json.exactObject(page)

/** The query of a list of clients that need attention. */
export const HygieneQuery = json.exactObject(hygiene)

/** The query of a list of clients that need attention, for operators. */
export const OperatorHygieneQuery = json.exactObject({
  accountId: json.optional(json.text, 'Only clients of this account'),
  ...hygiene,
})

/** The query of a list of the clients of one account. */
export const ClientQuery = json.exactObject({
  name: json.optional(json.text, 'Only clients with this text in their name, in upper or lower case'),
  product: id,
  state: json.optional(
    json.choice(LISTED_STATES),
    'Only clients that get tokens, that get none, or that get none for this reason',
  ),
  unusedSince: json.optional(json.time, 'Only clients that got no token since this time'),
  sort: json.optional(
    json.choice(LIST_ORDERS),
    '`newest` without it; `last-used` begins with the latest use',
  ),
  ...page,
})

/** The query of a search. */
export const SearchQuery = json.exactObject({
  text: json.textOf({ minLength: 1, maxLength: MAX_SEARCH_LENGTH }),
})

/** The query of the audit trail of an account. */
export const AuditQuery = json.exactObject(audit)

/** The query of the whole audit trail. */
export const OperatorAuditQuery = json.exactObject({ ...audit, accountId: id, actor: id })

/** The query of a list of the usage of an account. */
export const UsageQuery = json.exactObject(usage)

/** The query of a list of usage for operators. */
export const OperatorUsageQuery = json.exactObject({
  accountId: json.optional(json.text, 'Only calls of the clients of this account'),
  ...usage,
})

/** The query of the clients with the most calls. */
export const TopClientsQuery = json.exactObject({
  ...period,
  limit: json.optional(json.integer({ minimum: 1, maximum: 100 })),
})

/** The query of the operations that were not called. */
export const UncalledQuery = json.exactObject({
  clientId: id,
  days: json.optional(
    ruleWith(digits, { ...digits, read: Number }),
    'Days in which they were not called. Without it: 90',
  ),
})
