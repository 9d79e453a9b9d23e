import { html, type Html } from '../../../http/html.ts'
import type { Outcome } from '../../usage/outcomes.ts'
import type { Usage, UsageQuery } from '../../usage/usage-types.ts'
import type { UsageRow } from '../../usage/list-usage.ts'
import { columns, panel, table } from '../elements/elements.ts'
import type { Call } from '../page-types.ts'
import type { ConsoleServices } from '../services.ts'
import { scopeTitle } from '../scope-title.ts'
import type { TextName } from '../texts.ts'
import { barChart, resultNames, RESULTS, sumOf, totalOf, type Bar, type Sums } from './bar-chart.ts'

const HOUR = 3600
const DAY = 86_400
const HOURS = 24
const DAYS = 30
const MAX_ROWS = 20

export type Subject = Pick<UsageQuery, 'clientId' | 'accountId'>

/** The calls of a client, an account or all, as charts and tables. */
export async function usageView(
  call: Pick<Call, 'texts'>,
  { catalog }: Pick<ConsoleServices, 'catalog'>,
  usage: Usage,
  subject: Subject,
): Promise<Html> {
  const { texts } = call
  const now = Math.floor(Date.now() / 1000)
  const period = { from: now - (DAYS - 1) * DAY, to: now }
  const [hours, days, calls] = await Promise.all([
    usage.list({ ...subject, from: now - (HOURS - 1) * HOUR, to: now, by: ['hour', 'result'] }),
    usage.list({ ...subject, ...period, by: ['day', 'result'] }),
    usage.list({ ...subject, ...period, by: ['operation', 'result', 'outcome'] }),
  ])
  const nameOf = (operation: string) => operationName(call, catalog, operation)
  return html`${panel(
    { title: texts.html('usageHours') },
    barChart(call, barsOf(hours, { now, step: HOUR, count: HOURS }), (at) => texts.hour(at)),
  )}
  ${panel(
    { title: texts.html('usageDays') },
    barChart(call, barsOf(days, { now, step: DAY, count: DAYS }), texts.date),
  )}
  ${panel({ title: texts.html('usageProblems'), id: 'problems' }, problems(call, calls, nameOf))}
  ${panel({ title: texts.html('usageOperations'), id: 'operations' }, operations(call, calls, nameOf))}`
}

function barsOf(
  rows: readonly UsageRow[],
  { now, step, count }: { readonly now: number; readonly step: number; readonly count: number },
): Bar[] {
  const last = now - (now % step)
  const byTime = groupBy(rows, ({ at = 0 }) => at)
  return Array.from({ length: count }, (_, back) => {
    const at = last - (count - 1 - back) * step
    return { at, sums: sumsOf(byTime.get(at) ?? []) }
  })
}

function groupBy<Key>(rows: readonly UsageRow[], keyOf: (row: UsageRow) => Key): Map<Key, UsageRow[]> {
  const groups = new Map<Key, UsageRow[]>()
  for (const row of rows) {
    const group = groups.get(keyOf(row)) ?? []
    groups.set(keyOf(row), group)
    group.push(row)
  }
  return groups
}

function sumsOf(rows: readonly UsageRow[]): Sums {
  const none = { successful: 0, rejected: 0, failed: 0 }
  return sumOf(rows.map(({ result, count }) => ({ ...none, ...(result && { [result]: count }) })))
}

function problems(
  { texts }: Pick<Call, 'texts'>,
  rows: readonly UsageRow[],
  nameOf: (operation: string) => Html,
): Html {
  const found = rows
    .filter(({ result }) => result !== 'successful')
    .toSorted((one, other) => other.count - one.count)
    .slice(0, MAX_ROWS)
  if (found.length === 0) return html`<p class="muted">${texts.html('usageNoProblems')}</p>`
  return table(
    columns({ texts }, ['operationLabel', 'usageOutcome', 'usageCalls']),
    found.map(({ operation = '', outcome = 'other_error', count }) => {
      const [name, remedy] = OUTCOME_TEXTS[outcome]
      return [
        nameOf(operation),
        html`<div class="tight">
          <span>${texts.html(name)}</span> ${remedy && html`<span class="hint">${texts.html(remedy)}</span>`}
        </div>`,
        texts.number(count),
      ]
    }),
  )
}

function operations(
  { texts }: Pick<Call, 'texts'>,
  rows: readonly UsageRow[],
  nameOf: (operation: string) => Html,
): Html {
  const byOperation = [...groupBy(rows, ({ operation = '' }) => operation)]
    .map(([operation, each]) => ({ operation, sums: sumsOf(each) }))
    .toSorted((one, other) => totalOf(other.sums) - totalOf(one.sums))
    .slice(0, MAX_ROWS)
  if (byOperation.length === 0) return html`<p class="muted">${texts.html('usageNone')}</p>`
  return table(
    columns({ texts }, ['operationLabel', ...Object.values(RESULTS)]),
    byOperation.map(({ operation, sums }) => [
      nameOf(operation),
      ...resultNames().map((result) => texts.number(sums[result])),
    ]),
  )
}

function operationName(
  call: Pick<Call, 'texts'>,
  catalog: ConsoleServices['catalog'],
  operation: string,
): Html {
  if (!operation.includes(' ')) {
    return html`<bdi>${scopeTitle(operation, call.texts, catalog.current)}</bdi>`
  }
  return call.texts.html(operation === 'other operations' ? 'usageOtherOperations' : 'usageTokenRequests')
}

const OUTCOME_TEXTS: Readonly<Record<Outcome, readonly [name: TextName, remedy?: TextName]>> = {
  ok: ['outcomeOk'],
  accepted: ['outcomeAccepted'],
  issued: ['outcomeIssued'],
  client_error: ['outcomeClientError', 'remedyClientError'],
  server_error: ['outcomeServerError', 'remedyServerError'],
  aborted: ['outcomeAborted', 'remedyAborted'],
  unavailable: ['outcomeUnavailable', 'remedyServerError'],
  missing_token: ['outcomeMissingToken', 'remedyInvalidRequest'],
  invalid_request: ['outcomeInvalidRequest', 'remedyInvalidRequest'],
  invalid_token: ['outcomeInvalidToken', 'remedyInvalidRequest'],
  expired_token: ['outcomeExpiredToken', 'remedyExpiredToken'],
  revoked_token: ['outcomeRevokedToken', 'remedyExpiredToken'],
  insufficient_scope: ['outcomeInsufficientScope', 'remedyInsufficientScope'],
  address_not_allowed: ['outcomeAddress', 'remedyAddress'],
  rate_limited: ['outcomeRateLimited', 'remedyRateLimited'],
  not_found: ['outcomeNotFound', 'remedyNotFound'],
  client_disabled: ['outcomeDisabled', 'remedyUnauthorizedClient'],
  client_expired: ['outcomeExpired', 'remedyUnauthorizedClient'],
  invalid_client: ['outcomeInvalidClient', 'remedyInvalidClient'],
  invalid_grant: ['outcomeInvalidGrant', 'remedyInvalidGrant'],
  invalid_scope: ['outcomeInvalidScope', 'remedyInsufficientScope'],
  invalid_target: ['outcomeInvalidTarget', 'remedyInvalidRequest'],
  unauthorized_client: ['outcomeUnauthorizedClient', 'remedyUnauthorizedClient'],
  unsupported_grant_type: ['outcomeUnsupportedGrantType', 'remedyInvalidRequest'],
  other_error: ['outcomeOtherError', 'remedyInvalidRequest'],
}
