import {
  breaksPolicy,
  defaultDaysOf,
  expiresSoon,
  isExpiryRequired,
  tokensEnd,
  type KeyPolicy,
} from '../../../clients/expiry-policy.ts'
import { isGatewayKey, type Client } from '../../../clients/client.ts'
import type { Form } from '../../../http/form-body.ts'
import { html, type Html } from '../../../http/html.ts'
import { isDay } from '../../../validation/predicates.ts'
import { badge } from '../elements/elements.ts'
import { field } from '../elements/form.ts'
import type { Call } from '../page-types.ts'
import type { ConsoleServices } from '../services.ts'
import type { ClientKind, ClientPanel } from './client-kind.ts'
import { fieldPanel } from './field-panels.ts'

// A person chooses the last day of a client. The client expires when this day is over, in UTC.

const DAY_MS = 86_400_000

/** As `2026-07-01`; empty if the client never expires. @param expiresAt epoch seconds */
function lastDayOf(expiresAt: number | undefined): string {
  return expiresAt === undefined ? '' : dayOf(expiresAt * 1000 - 1)
}

function dayOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10)
}

/** Epoch seconds; null for never; undefined without a field; for an invalid day `NaN`, which is rejected. */
export function readExpiry(sent: Form): number | null | undefined {
  const day = sent.get('expiresAt')?.trim()
  if (day === undefined || day === '') return day === undefined ? undefined : null
  return isDay(day) ? (Date.parse(day) + DAY_MS) / 1000 : Number.NaN
}

export function expiryField(
  call: Pick<Call, 'form' | 'problems' | 'texts'>,
  keyPolicy: KeyPolicy,
  client?: Client,
): Html {
  const { texts } = call
  const policy = client && isGatewayKey(client) ? {} : keyPolicy
  const { maxAgeDays } = policy
  const byDefault = defaultDaysOf(policy)
  const now = Date.now()
  const chosen = client ? client.expiresAt : byDefault && Math.floor(now / 1000) + byDefault * 86_400
  const isRequired = isExpiryRequired(policy)
  const hint = isRequired ? (maxAgeDays === undefined ? 'expiryHintRequired' : 'expiryHintMax') : 'expiryHint'
  return field(call, {
    name: 'expiresAt',
    type: 'date',
    label: texts.html('expiryLabel'),
    hint: texts.html(hint, { days: maxAgeDays }),
    value: lastDayOf(chosen),
    isRequired,
    min: dayOf(now),
    max: maxAgeDays === undefined ? undefined : dayOf(now + maxAgeDays * DAY_MS),
  })
}

/** The form that sets, moves and removes the expiry of a client. */
export function expiryPanel(kind: ClientKind, services: ConsoleServices): ClientPanel {
  const { keyPolicy: policy } = services
  return fieldPanel(kind, services, {
    id: 'expiry',
    title: 'expiryTitle',
    action: 'expire',
    isHidden: (client) => isGatewayKey(client) && client.expiresAt === undefined,
    above: ({ texts, resource }) =>
      breaksPolicy(resource, policy) && html`<p>${texts.html('expiryBreaksPolicy')}</p>`,
    inputs: (call) => expiryField(call, policy, call.resource),
    // A program may have set an exact time within this day, which then stays.
    read: (sent, { expiresAt }) =>
      sent.get('expiresAt') === lastDayOf(expiresAt) ? {} : { expiresAt: readExpiry(sent) },
    done: () => 'doneExpirySaved',
    guard: {
      async warning({ texts, resource }) {
        const end = await tokensEnd(resource, services)
        const isPossible = !isGatewayKey(resource) && lastDayOf(end) > dayOf(Date.now())
        return isPossible && texts.html('expiryEarlier', { day: texts.date(end - 1) })
      },
      input: 'before',
      textOf: ({ expiresAt }) => String(expiresAt),
    },
  })
}

export function expiryFact({ texts }: Pick<Call, 'texts'>, { expiresAt }: Client): Html {
  if (expiresAt === undefined) return html`<span class="muted">${texts.html('never')}</span>`
  return html`${texts.expiry(expiresAt)} <span class="muted">(${texts.relative(expiresAt)})</span>`
}

export function expiryBadge(
  { texts }: Pick<Call, 'texts'>,
  client: Client,
  policy: KeyPolicy,
): Html | undefined {
  const { expiresAt } = client
  if (expiresAt === undefined || !expiresSoon(client, policy)) return undefined
  return badge(texts.html('expiryBadge', { in: texts.relative(expiresAt) }), 'warn')
}
