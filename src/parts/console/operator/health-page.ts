import type { ConsoleServices } from '../services.ts'
import { html, type Html } from '../../../http/html.ts'
import type { Health, HealthCheck } from '../../../health/health-report.ts'
import { badge, table } from '../elements/elements.ts'
import type { Call, Page } from '../page-types.ts'
import type { Reader } from '../reader-formats.ts'
import { germanChecks } from '../texts/german-checks.ts'
import { operatorPage, operatorView } from './operator-page.ts'

const PATH = '/operator/health'

/** The checks of this process, each with its remedy. */
export function healthPage({ health }: ConsoleServices): Page {
  return operatorPage({
    path: PATH,
    async show(call) {
      const { texts } = call
      const found = await health()
      return operatorView(
        { title: texts.plain('operatorHealthTitle') },
        html`<p class="muted">${texts.html('operatorHealthIntro')}</p>
          ${healthSummary(call, found)}
          <section class="panel">${checksTable(call, found.checks)}</section>`,
      )
    },
  })
}

const RESULTS = {
  fail: ['operatorHealthFail', 'bad'],
  unknown: ['operatorHealthUnknown', 'warn'],
  warn: ['operatorHealthWarn', 'warn'],
  pass: ['operatorHealthPass', 'good'],
} as const

/** The summary: a service that is not ready has failed, and so has a ready one with a failed check. */
export function healthSummary({ texts }: Pick<Call, 'texts'>, { ready, status, checks }: Health): Html {
  const [text, tone] = RESULTS[ready ? status : 'fail']
  const open = (['fail', 'unknown', 'warn'] as const).map((wanted) => {
    const number = checks.filter((check) => check.status === wanted).length
    const values = { result: texts.html(RESULTS[wanted][0]), number, total: checks.length }
    return number > 0 && html`<span>${texts.html('operatorHealthCount', values)}</span>`
  })
  // The table below has the badge of a warning.
  return html`<p class="line">
    ${tone !== 'warn' && badge(texts.html(text), tone)}
    <span>${texts.html(ready ? 'operatorReady' : 'operatorNotReady')}</span>
    ${open}
  </p>`
}

/** The worst come first. */
export function checksTable({ texts }: Pick<Call, 'texts'>, checks: readonly HealthCheck[]): Html {
  return table(
    [
      { title: texts.html('operatorHealthCheck') },
      { title: texts.html('operatorHealthResult'), label: texts.plain('operatorHealthResult') },
      { title: texts.html('operatorHealthFound') },
    ],
    checks.toSorted((one, other) => rank(one) - rank(other)).map((check) => row(check, texts)),
  )
}

function rank({ status }: HealthCheck): number {
  return Object.keys(RESULTS).indexOf(status)
}

/** The checks write their messages and remedies in English. */
function row({ name, status, message, remedy }: HealthCheck, texts: Reader) {
  const [text, tone] = RESULTS[status]
  const german = texts.lang.split('-', 1)[0] === 'de' ? germanChecks.get(name) : undefined
  const [subject, steps] = german?.split(': ') ?? []
  const inEnglish = (words: string) => html`<span lang="en" dir="ltr">${words}</span>`
  const label = html`<strong>${texts.html('operatorHealthRemedy')}</strong>`
  const exact = html`<div class="tight">
    ${inEnglish(message)} ${remedy !== undefined && html`<span>${label} ${inEnglish(remedy)}</span>`}
  </div>`
  return [
    html`<div class="tight">${subject}<code class="whole">${name}</code></div>`,
    badge(texts.html(text), tone),
    subject === undefined
      ? exact
      : html`${remedy !== undefined && html`<p>${label} ${steps}</p>`}
          <details>
            <summary class="small">${texts.html('operatorHealthExact')}</summary>
            ${exact}
          </details>`,
  ]
}
