import {
  defaultDaysOf,
  expiresSoon,
  isExpiryRequired,
  policyOf,
  type KeyPolicy,
} from '../../../clients/expiry-policy.ts'
import { isGatewayKey, type Client } from '../../../clients/client.ts'
import type { Form } from '../../../http/form-body.ts'
import { html, type Html } from '../../../http/html.ts'
import { isDay } from '../../../validation/predicates.ts'
import { badge } from '../elements/elements.ts'
import { field, radio } from '../elements/form.ts'
import type { FormState, Texts } from '../page-types.ts'

// A person chooses the last day of a client. The client expires when this day is over, in UTC.

const DAY_MS = 86_400_000

/** As `2026-07-01`; empty if the client never expires. @param expiresAt epoch seconds */
export function lastDayOf(expiresAt: number | undefined): string {
  return expiresAt === undefined ? '' : dayOf(expiresAt * 1000 - 1)
}

function dayOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10)
}

/** The choices besides a day that is typed, as days from today. */
const QUICK_DAYS = [30, 60, 90, 365]
/** The choice of the day that is typed. Every other choice sends its day; never is empty. */
const OTHER = 'other'

/** The day that was chosen or typed; empty for never. A typed day that is missing is not a day. */
export function dayIn(sent: Form): string | undefined {
  const choice = sent.get('expiry')
  if (choice !== null && choice !== OTHER) return choice.trim()
  const typed = sent.get('expiresAt')?.trim()
  return typed === '' && choice === OTHER ? OTHER : typed
}

/** Epoch seconds; null for never; undefined without a field; for an invalid day `NaN`, which is rejected. */
export function readExpiry(day: string | undefined): number | null | undefined {
  if (day === undefined || day === '') return day === undefined ? undefined : null
  return isDay(day) ? (Date.parse(day) + DAY_MS) / 1000 : Number.NaN
}

export function expiryField(call: FormState, keyPolicy: KeyPolicy, client?: Client): Html {
  const { texts, form: sent } = call
  const policy = client ? policyOf(client, keyPolicy) : keyPolicy
  const { maxAgeDays } = policy
  const byDefault = defaultDaysOf(policy)
  const dayAhead = (days: number) => dayOf(Date.now() + days * DAY_MS)
  const current = client ? lastDayOf(client.expiresAt) : byDefault === undefined ? '' : dayAhead(byDefault)
  const choices: (readonly [value: string, title: Html, hint?: Html])[] = [
    ...QUICK_DAYS.filter((days) => days <= (maxAgeDays ?? Infinity)).map((count) => {
      const day = dayAhead(count)
      return [day, texts.html('expiryDays', { count }), texts.date(Date.parse(day) / 1000)] as const
    }),
    ...(isExpiryRequired(policy) ? [] : [['', texts.html('expiryNever')] as const]),
    [OTHER, texts.html('expiryOther')],
  ]
  const chosen = sent.get('expiry') ?? (choices.some(([value]) => value === current) ? current : OTHER)
  return html`<fieldset>
    <legend>${texts.html('expiryWhen')}</legend>
    ${maxAgeDays !== undefined && html`<p class="hint">${texts.html('expiryMax', { days: maxAgeDays })}</p>`}
    <ul class="choices across">
      ${choices.map(([value, ...labels]) => html`<li>${radio('expiry', value, value === chosen, ...labels)}</li>`)}
    </ul>
    ${field(call, { name: 'expiresAt', type: 'date', label: texts.html('expiryLabel'), value: current })}
  </fieldset>`
}

/** Whether a client can get an expiry that its tokens outlive. @param end `tokensEnd` of the client */
export function mayOutlive(client: Client, end: number): boolean {
  return !isGatewayKey(client) && lastDayOf(end) > dayOf(Date.now())
}

export function expiryFact({ texts }: Texts, { expiresAt }: Client): Html {
  if (expiresAt === undefined) return html`<span class="muted">${texts.html('never')}</span>`
  return html`${texts.expiry(expiresAt)} <span class="muted">(${texts.relative(expiresAt)})</span>`
}

export function expiryBadge({ texts }: Texts, client: Client, policy: KeyPolicy): Html | undefined {
  const { expiresAt } = client
  if (expiresAt === undefined || !expiresSoon(client, policy)) return undefined
  return badge(texts.html('expiryBadge', { in: texts.relative(expiresAt) }), 'warn')
}
