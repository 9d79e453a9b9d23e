import { html, type Html } from '../../../http/html.ts'
import type { Usage } from '../../usage/usage-types.ts'
import { columns, numbers, panel, table } from '../elements/elements.ts'
import type { Call } from '../page-types.ts'
import type { ConsoleServices } from '../services.ts'
import { barChart, legend, NONE, sumsBy, totalOf } from '../usage/bar-chart.ts'
import { findNames } from '../usage/usage-clients.ts'
import { outcomeText } from '../usage/usage-view.ts'

const DAY_SECONDS = 86_400
const DAYS = 7
const PROBLEMS = 5

/** The number of the account's successful calls in seven days, with panels about them, and about what went wrong in 24 hours. */
export async function callsPanels(
  call: Call,
  services: ConsoleServices,
  usage: Usage,
): Promise<{ readonly calls: number; readonly shown: Html }> {
  const { texts, to, caller } = call
  const { accountId } = caller
  const now = Math.floor(Date.now() / 1000)
  const today = now - (now % DAY_SECONDS)
  const from = today - (DAYS - 1) * DAY_SECONDS
  const [read, problems] = await Promise.all([
    usage.read({ accountId, from, to: now }),
    usage.problemsOf(accountId, { limit: PROBLEMS }),
  ])
  const { linkOf } = await findNames(call, services, problems)
  const rows = read.list({ by: ['day', 'kind', 'result'] }).filter(({ kind }) => kind === 'call')
  const sums = sumsBy(rows, ({ at = 0 }) => at)
  const sum = sumsBy(rows, ({ kind }) => kind).get('call') ?? NONE
  const calls = totalOf(sum)
  const { percent, date, day } = texts.formats
  const shareOf = (count: number) => (calls > 0 ? percent.format(count / calls) : undefined)
  const bars = Array.from({ length: DAYS }, (_, index) => {
    const at = from + index * DAY_SECONDS
    const label = index % 2 === 0 && day.format(at * 1000)
    return { time: date.format(at * 1000), label, sums: sums.get(at) }
  })
  const daysOf = (count: number) => texts.html('usageDays', { count })
  const shown = html`${panel(
    { title: html`${texts.html('usageApiCalls')}, ${daysOf(DAYS)}`, id: 'calls' },
    html`${numbers([
        [texts.html('clientsCallsToday'), texts.number(totalOf(sums.get(today) ?? NONE))],
        [texts.html('clientsCallsWeek'), texts.number(calls)],
        [texts.html('usageRejected'), shareOf(sum.rejected)],
        [texts.html('usageFailed'), shareOf(sum.failed)],
      ])}
      ${calls > 0 && html`${barChart(call, bars, sum)} ${legend(call, sum)}`}
      <p><a href="${to('/usage', { days: String(DAYS) })}">${texts.html('operatorMore')}</a></p>`,
  )}
  ${
    problems.length > 0 &&
    panel(
      { title: html`${texts.html('usageProblems')}, ${daysOf(1)}`, id: 'problems' },
      table(
        columns(call, ['nameLabel', 'usageOutcome', 'usageCount', 'overviewLastHour']),
        problems.map(({ clientId = '', kind, outcome = 'other_error', count, lastAt }) => [
          linkOf(clientId),
          html`${kind === 'token_request' && html`${texts.html('usageTokenRequest')}: `}${outcomeText(call, outcome)}`,
          texts.number(count),
          texts.hour(lastAt),
        ]),
      ),
    )
  }`
  return { calls: sum.successful, shown }
}
