import { html, type Html } from '../../../http/html.ts'
import { setPageHeaders } from '../../../http/security-headers.ts'
import { usageAsCsv } from '../../front-door/usage-csv.ts'
import type { UsageRow } from '../../usage/list-usage.ts'
import type { Outcome } from '../../usage/outcomes.ts'
import type { Usage, UsageQuery } from '../../usage/usage-types.ts'
import { choiceLinks, columns, panel, table } from '../elements/elements.ts'
import type { Call, Texts } from '../page-types.ts'
import type { ConsoleServices } from '../services.ts'
import { scopeTitle } from '../scope-title.ts'
import type { TextName } from '../texts.ts'
import { barChart, legend, NONE, RESULTS, RESULT_TEXTS, sumsBy, totalOf, type Sums } from './bar-chart.ts'
import { readClients } from './usage-clients.ts'

const SECONDS = { hour: 3600, day: 86_400 } as const
/** What readers can choose, in days until now. */
const CHOICES = [1, 7, 30, 90]
const DEFAULT_DAYS = 30
const MAX_HOURLY_DAYS = 7
const MAX_ROWS = 20

type Subject = Pick<UsageQuery, 'clientId' | 'accountId'>
type Time = ReturnType<typeof chosenTime>

/** The time that the link of the reader names. A time for which usage is not kept is not offered. */
function chosenTime({ keeps }: Usage, wanted: string | undefined) {
  const offered = CHOICES.filter((days) => days <= keeps.days)
  const known = CHOICES.find((days) => String(days) === wanted) ?? DEFAULT_DAYS
  const days = offered.findLast((each) => each <= known) ?? DEFAULT_DAYS
  const unit = days <= Math.min(MAX_HOURLY_DAYS, keeps.hourDays) ? 'hour' : 'day'
  const to = Math.floor(Date.now() / 1000)
  // The record of an account has its clients by whole days.
  const step = days === 1 ? SECONDS.hour : SECONDS.day
  const from = to - (to % step) - days * SECONDS.day + step
  return { offered, days, unit, step, from, to } as const
}

/** The API calls of a client, an account or all, as a chart and tables. Undefined if the answer is a CSV file. */
export async function usageView(call: Call<unknown>, services: ConsoleServices, usage: Usage, of: Subject) {
  const { texts, query, self, ctx } = call
  const time = chosenTime(usage, query['days'])
  const { days, unit, from, to } = time
  const [read, clients] = await Promise.all([
    usage.read({ ...of, from, to }),
    readClients(call, services, usage, { ...of, from, to }, days > 1),
  ])
  const times = read.list({ by: [unit, 'kind', 'result'] })
  const all = read.list({ by: ['kind', 'operation', 'result', 'outcome'] })
  const rows = clients ? [...clients.byOperation, ...restOf(all, clients.byOperation)] : all
  const file = query['csv']
  if (file !== undefined) {
    setPageHeaders(ctx, { noReferrer: true })
    const [first, last] = [from, to].map((at) => new Date(at * 1000).toISOString().slice(0, 10))
    ctx.attachment(`usage-${first}-to-${last}.csv`)
    const named = clients?.calls.map((row) => ({ ...row, clientName: clients.nameOf(row.clientId ?? '') }))
    ctx.body = usageAsCsv((file === 'times' ? times : file === 'clients' ? named : all) ?? [])
    return undefined
  }

  const lengthOf = (count: number) => texts.html('usageDays', { count })
  const links = time.offered.map((each) => {
    return { href: `${self}?days=${each}`, text: lengthOf(each), isCurrent: each === days }
  })
  const download = (name: string) =>
    html`<p><a href="${self}?days=${days}&csv=${name}" download>${texts.html('usageCsv')}</a></p>`
  const nameOf = (operation: string) => operationName(call, services, operation)
  return html`${choiceLinks(texts.plain('usageTime'), links)}
  ${panel(
    { title: html`${texts.html('usageApiCalls')}, ${lengthOf(days)}`, id: 'calls' },
    html`${chart(call, times, time)} ${download('times')}`,
  )}
  ${panel({ title: texts.html('usageProblems'), id: 'problems' }, problems(call, rows, nameOf, clients?.linkOf))}
  ${
    clients &&
    panel(
      { title: texts.html('usageClients'), id: 'clients' },
      html`${sumsTable(call, 'nameLabel', mostCalled(clients.calls, 'clientId'), clients.linkOf)}
      ${download('clients')}`,
    )
  }
  ${panel(
    { title: texts.html('usageOperations'), id: 'operations' },
    html`${sumsTable(call, 'operationLabel', mostCalled(all, 'operation'), nameOf)} ${download('operations')}`,
  )}`
}

/** The chart of a client's last 24 hours. @param more the address of the page that its link leads to */
export async function callsOfLastDay({ texts }: Texts, usage: Usage, clientId: string, more: string) {
  const time = chosenTime(usage, '1')
  const { unit, from, to } = time
  const rows = await usage.list({ clientId, from, to, by: [unit, 'kind', 'result'] })
  const title = html`${texts.html('usageApiCalls')}, ${texts.html('usageDays', { count: 1 })} (UTC)`
  const link = html`<p><a href="${more}">${texts.html('operatorMore')}</a></p>`
  return panel({ title }, html`${chart({ texts }, rows, time)} ${rows.some(isCall) && link}`)
}

/** What `all` counts beyond the rows of some clients. */
function restOf(all: readonly UsageRow[], ofClients: readonly UsageRow[]): UsageRow[] {
  const keyOf = ({ operation, outcome }: UsageRow) => `${operation} ${outcome}`
  const counted = new Map<string, number>()
  for (const row of ofClients) counted.set(keyOf(row), (counted.get(keyOf(row)) ?? 0) + row.count)
  return all
    .map((row) => ({ ...row, count: row.count - (counted.get(keyOf(row)) ?? 0) }))
    .filter(({ count }) => count > 0)
}

const isCall = ({ kind }: UsageRow) => kind === 'call'

function mostCalled(rows: readonly UsageRow[], key: 'operation' | 'clientId'): ReadonlyMap<string, Sums> {
  const sums = [...sumsBy(rows.filter(isCall), (row) => row[key] ?? '')]
  return new Map(sums.toSorted(([, one], [, other]) => totalOf(other) - totalOf(one)).slice(0, MAX_ROWS))
}

/** Token requests are not among the calls. */
function chart({ texts }: Texts, rows: readonly UsageRow[], { days, unit, step, from }: Time): Html {
  const byKind = sumsBy(rows, ({ kind }) => kind)
  const { successful: issued, rejected, failed } = byKind.get('token_request') ?? NONE
  const requests = texts.html('usageTokenRequests', { issued, rejected: rejected + failed })
  const sum = byKind.get('call')
  if (!sum) return html`<p class="muted">${texts.html('usageNone')} ${requests}</p>`
  const sums = sumsBy(rows.filter(isCall), ({ at = 0 }) => at)
  const bySteps = sumsBy(rows.filter(isCall), ({ at = 0 }) => at - (at % step))
  const { hour, date, clock, day } = texts.formats
  const labelEvery = days === 1 ? 6 * SECONDS.hour : Math.ceil(days / 4) * SECONDS.day
  const length = (days * SECONDS.day) / SECONDS[unit]
  // The name of a day is below its noon.
  const last = length - (unit === 'hour' && days > 1 ? 12 : 1)
  const bars = Array.from({ length }, (_, index) => {
    const at = from + index * SECONDS[unit]
    const hasLabel = ((last - index) * SECONDS[unit]) % labelEvery === 0
    const label = hasLabel && (days === 1 ? clock : day).format(at * 1000)
    return { time: (unit === 'hour' ? hour : date).format(at * 1000), label, sums: sums.get(at) }
  })
  return html`<p>${texts.html('usageSum', { count: totalOf(sum) })}</p>
    ${barChart({ texts }, bars, sum)} ${legend({ texts }, sum)}
    <p class="muted">${requests}</p>
    <details>
      <summary>${texts.html('usageTable')}</summary>
      ${sumsTable({ texts }, 'usageTime', bySteps, (at) => (step === SECONDS.hour ? hour : date).format(at * 1000))}
    </details>`
}

function sumsTable<Key>(
  { texts }: Texts,
  title: TextName,
  sums: ReadonlyMap<Key, Sums>,
  nameOf: (key: Key) => Html | string,
): Html {
  if (sums.size === 0) return html`<p class="muted">${texts.html('usageNone')}</p>`
  return table(
    columns({ texts }, [title, 'usageCalls', ...RESULT_TEXTS]),
    [...sums].map(([key, each]) => {
      const numbers = [totalOf(each), ...RESULTS.map((name) => each[name])]
      return [nameOf(key), ...numbers.map(texts.number)]
    }),
  )
}

function problems(
  { texts }: Texts,
  rows: readonly UsageRow[],
  nameOf: (operation: string) => Html,
  linkOf?: (clientId: string) => Html,
): Html {
  const found = rows
    .filter(({ result }) => result !== 'successful')
    .toSorted((one, other) => other.count - one.count)
    .slice(0, MAX_ROWS)
  if (found.length === 0) return html`<p class="muted">${texts.html('usageNoProblems')}</p>`
  const names = ['operationLabel', 'usageOutcome', 'usageCount'] as const
  return table(
    columns({ texts }, linkOf ? ['nameLabel', ...names] : names),
    found.map(({ clientId = '', operation = '', outcome = 'other_error', count }) => {
      return [
        ...(linkOf ? [linkOf(clientId)] : []),
        nameOf(operation),
        outcomeText({ texts }, outcome),
        texts.number(count),
      ]
    }),
  )
}

/** What happened, and what helps. */
export function outcomeText({ texts }: Texts, outcome: Outcome): Html {
  const [name, remedy] = OUTCOME_TEXTS[outcome]
  return html`<div class="tight">
    <span>${texts.html(name)}</span> ${remedy && html`<span class="hint">${texts.html(remedy)}</span>`}
  </div>`
}

function operationName({ texts }: Texts, { catalog }: ConsoleServices, operation: string): Html {
  if (operation === 'POST /oauth2/token') return texts.html('usageTokenRequest')
  // Names that are not scopes have a space.
  if (operation.includes(' ')) return texts.html('usageOtherOperations')
  return html`<bdi>${scopeTitle(operation, texts, catalog.current)}</bdi>`
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
