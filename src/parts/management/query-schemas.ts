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

/** The rules of queries. */
export const QUERIES = {
  page: exactObject(page),
  hygiene: exactObject(hygiene),
  operatorHygiene: exactObject({
    accountId: optional(text, 'Only clients of this account'),
    ...hygiene,
  }),
  client: exactObject({
    name: optional(text, 'Only clients with this text in their name, in upper or lower case'),
    product: id,
    state: optional(
      choice(LISTED_STATES),
      'Only clients that get tokens, that get none, or that get none for this reason',
    ),
    unusedSince: optional(time, 'Only clients that got no token since this time'),
    sort: optional(choice(LIST_ORDERS), '`newest` without it; `last-used` begins with the latest use'),
    ...page,
  }),
  application: exactObject({ clientId: textOf({ minLength: 1 }) }),
  search: exactObject({
    text: textOf({ minLength: 1, maxLength: MAX_SEARCH_LENGTH }),
  }),
  audit: exactObject(audit),
  operatorAudit: exactObject({ ...audit, accountId: id, actor: id }),
  usage: exactObject(usage),
  operatorUsage: exactObject({
    accountId: optional(text, 'Only calls of the clients of this account'),
    ...usage,
  }),
  topClients: exactObject({
    ...period,
    limit: optional(integer({ minimum: 1, maximum: 100 })),
  }),
  uncalled: exactObject({
    clientId: id,
    days: optional(
      ruleWith(digits, { ...digits, read: Number }),
      'Days in which they were not called. Without it: 90',
    ),
  }),
}
