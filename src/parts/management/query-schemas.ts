import { LIST_ORDERS } from '../../clients/list-order-and-filters.ts'
import { MAX_SEARCH_LENGTH } from '../front-door/search.ts'
import { KINDS } from '../../clients/client-index.ts'
import { LISTED_STATES } from '../../clients/why-no-token.ts'
import type { Dimension } from '../usage/list-usage.ts'
import * as json from '../../validation/json-rules.ts'
import { PAGE_LIMIT } from '../../validation/page-limit.ts'
import { ruleWith } from '../../validation/rules.ts'

const text = json.text
const optional = json.optional
const id = optional(text)

const page = {
  cursor: optional(text),
  limit: optional(json.integer({ minimum: 1, maximum: PAGE_LIMIT.max })),
}

const hygiene = { kind: optional(json.choice(KINDS)), ...page }

const audit = { ...page, trail: optional(json.choice(['changes', 'failures'])), clientId: id }

const period = {
  from: optional(
    json.time,
    'The list begins with the hour or day of this time. Without it: 30 days before `to`',
  ),
  to: optional(json.time, 'The list ends with the hour or day of this time. Without it: now'),
}

const dimensions = ruleWith<Dimension[]>(text, {
  ...text,
  read: (names) => String(names).split(',') as Dimension[],
})

const usage = {
  clientId: optional(text, 'Only calls of this client'),
  ...period,
  by: optional(dimensions, 'What the rows are separated by, with commas'),
}

const digits = json.textOf({ pattern: /^\d{1,4}$/ })

/** The parameters of all queries. */
export const QUERIES = {
  page: json.exactObject(page),
  hygiene: json.exactObject(hygiene),
  operatorHygiene: json.exactObject({
    accountId: optional(text, 'Only clients of this account'),
    ...hygiene,
  }),
  client: json.exactObject({
    name: optional(text, 'Only clients with this text in their name, in upper or lower case'),
    product: id,
    state: optional(
      json.choice(LISTED_STATES),
      'Only clients that get tokens, that get none, or that get none for this reason',
    ),
    unusedSince: optional(json.time, 'Only clients that got no token since this time'),
    sort: optional(json.choice(LIST_ORDERS), '`newest` without it; `expiry` begins with the first expiry'),
    ...page,
  }),
  application: json.exactObject({ clientId: json.textOf({ minLength: 1 }) }),
  search: json.exactObject({
    text: json.textOf({ minLength: 1, maxLength: MAX_SEARCH_LENGTH }),
  }),
  audit: json.exactObject(audit),
  operatorAudit: json.exactObject({ ...audit, accountId: id, actor: id, documentHost: id }),
  usage: json.exactObject(usage),
  operatorUsage: json.exactObject({
    accountId: optional(text, 'Only calls of the clients of this account'),
    ...usage,
  }),
  topClients: json.exactObject({
    ...period,
    limit: optional(json.integer({ minimum: 1, maximum: 100 })),
  }),
  uncalled: json.exactObject({
    clientId: id,
    days: optional(
      ruleWith(digits, { ...digits, read: Number }),
      'Days in which they were not called. Without it: 90',
    ),
  }),
}
