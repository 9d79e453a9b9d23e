import { randomUUID } from 'node:crypto'
import type { KeyPolicy } from '../../clients/expiry.ts'
import { renewalDays, type Finding } from '../../clients/findings.ts'
import type { ClientFindings } from '../../clients/hygiene.ts'
import { html, type Html, type HtmlValue } from '../../http/html.ts'
import { displayText } from '../../http/pages/display-text.ts'
import { confirmLink } from '../elements/confirm.ts'
import { form } from '../elements/form.ts'
import type { Call } from '../page-types.ts'
import type { TextName } from '../texts.ts'

/** What a button does about a finding. */
export const FIXES = {
  'known-to-former': 'rotate',
  'breaks-policy': 'expire',
  'expires-soon': 'expire',
  'old-secret': 'rotate',
  'two-secrets': 'revoke-old',
  unused: 'disable',
  'never-used': 'disable',
  'never-expires': 'expire',
} as const satisfies Readonly<Record<Finding, string>>

export type Fix = (typeof FIXES)[Finding]

const SENTENCES = {
  'known-to-former': 'findingKnownToFormer',
  'breaks-policy': 'findingBreaksPolicy',
  'expires-soon': 'findingExpiresSoon',
  'old-secret': 'findingOldSecret',
  'two-secrets': 'findingTwoSecrets',
  unused: 'findingUnused',
  'never-used': 'findingNeverUsed',
  'never-expires': 'findingNeverExpires',
} as const satisfies Readonly<Record<Finding, TextName>>

/** What is wrong with a client, as a sentence. */
export function findingSentence(
  { texts }: Pick<Call, 'texts'>,
  finding: Finding,
  { client, secrets, knownToFormer }: ClientFindings,
  { maxAgeDays = 0 }: KeyPolicy,
): Html {
  const [current, old] = secrets
  const times: { readonly [finding in Finding]?: number | undefined } = {
    'expires-soon': client.expiresAt,
    'old-secret': current?.createdAt,
    'two-secrets': current?.createdAt,
    unused: client.lastUsedAt,
  }
  const time = texts.relative(times[finding] ?? client.createdAt)
  const users = texts.list(knownToFormer.map((user) => displayText(user)))
  const sentence = texts.html(SENTENCES[finding], { ago: time, in: time, days: maxAgeDays, users })
  if (finding !== 'two-secrets') return sentence
  const used = old?.lastUsedAt
  return used === undefined
    ? html`${sentence} ${texts.html('findingOldNeverUsed')}`
    : html`${sentence} ${texts.html('findingOldUsed', { ago: texts.relative(used) })}`
}

/** What the reader can do about a finding: what happens then, and the button. */
export function fixForm(
  call: Pick<Call, 'texts' | 'self' | 'csrfToken'>,
  finding: Finding,
  { client }: ClientFindings,
  policy: KeyPolicy,
): Html {
  const { texts } = call
  const { clientId } = client
  const fix = FIXES[finding]
  if (fix === 'revoke-old') {
    const link = { action: 'revokeOldSecret', fields: { clientId }, style: 'slim' }
    const button = confirmLink(call, link, texts.html('clientsRevokeOld'))
    return hintAbove(texts.html('clientsRevokeOldWhat'), button)
  }
  const isRenewal = finding === 'expires-soon'
  const expire = texts.html(isRenewal ? 'fixRenew' : 'fixExpire', { days: renewalDays(policy) })
  const words = {
    rotate: [texts.html('fixRotateHint'), texts.html('clientsRotate')],
    disable: [texts.html('fixDisableHint'), texts.html('disableButton')],
    expire: [texts.html(isRenewal ? 'fixRenewHint' : 'fixExpireHint'), expire],
  }
  const [hint, button] = words[fix]
  return form(
    call,
    { action: 'fix' },
    html`<input type="hidden" name="clientId" value="${clientId}" />
      <input type="hidden" name="finding" value="${finding}" />
      ${fix === 'rotate' && html`<input type="hidden" name="request" value="${randomUUID()}" />`}
      ${hintAbove(hint, html`<button class="slim">${button}</button>`)}`,
  )
}

function hintAbove(hint: HtmlValue, button: Html): Html {
  return html`<div class="tight">
    <p class="hint">${hint}</p>
    <div>${button}</div>
  </div>`
}
