import { CALL_LIMITS, type CallLimits } from '../../../clients/call-limits.ts'
import type { Client } from '../../../clients/client.ts'
import type { Form } from '../../../http/form-body.ts'
import { html, type Html } from '../../../http/html.ts'
import { checkInput } from '../../../validation/rules.ts'
import type { Limits } from '../../limits/limits.ts'
import { badge, facts, panel } from '../elements/elements.ts'
import { field, form } from '../elements/form.ts'
import type { Call } from '../page-types.ts'

/** The limits of a client, what was counted of them, and the form with which an operator gives it limits of its own. */
export function limitsPanel(
  call: Call<unknown>,
  { limits }: Client,
  { defaults }: Limits,
  { calls, isForOperators }: { calls: CallLimits | undefined; isForOperators: boolean },
): Html {
  const { texts } = call
  const present = limits ?? defaults
  const usedOf = (name: keyof CallLimits) => {
    const [used, limit] = [calls?.[name], present[name] ?? 0]
    if (used === undefined) return undefined
    const text = texts.html('limitsUsed', { used: texts.number(used), limit: texts.number(limit) })
    return html`${text} ${used >= limit && badge(texts.html('outcomeRateLimited'), 'warn')}`
  }
  const input = (name: keyof CallLimits, label: 'limitsPerMinute' | 'limitsPerDay') =>
    field(call, { name, label: texts.html(label), value: textOf(limits?.[name]), autocomplete: 'off' })
  return panel(
    { title: texts.html('limitsTitle'), id: 'limits' },
    html`${
      calls && Object.keys(calls).length > 0
        ? facts([
            [texts.html('limitsLastMinute'), usedOf('perMinute')],
            [texts.html('usageDays', { count: 1 }), usedOf('perDay')],
          ])
        : html`<p>${limitsText(call, present)}</p>`
    }
    ${
      isForOperators &&
      form(
        call,
        { action: 'limits' },
        html`<p class="hint">${texts.html('limitsHint', { limits: limitsText(call, defaults) })}</p>
          <div class="fields">
            ${input('perMinute', 'limitsPerMinute')} ${input('perDay', 'limitsPerDay')}
          </div>
          <div class="buttons"><button class="primary">${texts.html('saveButton')}</button></div>`,
      )
    }`,
  )
}

const textOf = (limit: number | undefined) => (limit === undefined ? '' : String(limit))

export function limitsText({ texts }: Pick<Call, 'texts'>, { perMinute, perDay }: CallLimits): string {
  const parts = [
    ...(perMinute === undefined ? [] : [texts.plain('limitsMinute', { count: perMinute })]),
    ...(perDay === undefined ? [] : [texts.plain('limitsDay', { count: perDay })]),
  ]
  return parts.length === 0 ? texts.plain('none') : texts.list(parts)
}

export function limitsIn(sent: Form): CallLimits | null {
  const texts = Object.keys(CALL_LIMITS).map((name) => [name, (sent.get(name) ?? '').trim()] as const)
  const typed = texts.filter(([, text]) => text !== '')
  const numberIn = (text: string) => (/^\d{1,10}$/.test(text) ? Number(text) : Number.NaN)
  const limits = Object.fromEntries(typed.map(([name, text]) => [name, numberIn(text)]))
  checkInput('the limits cannot be set', limits, CALL_LIMITS)
  return typed.length === 0 ? null : limits
}
