import { isGatewayKey, type Client, type ClientChanges } from '../../../clients/client.ts'
import { CLIENT_ACTIONS } from '../../front-door/client-actions.ts'
import { givesMore, rightTo } from '../../front-door/permissions-on-clients.ts'
import { tokensEnd, type KeyPolicy } from '../../../clients/expiry-policy.ts'
import { renewalDays, type Finding } from '../../../clients/hygiene-findings.ts'
import type { ClientFindings } from '../../../clients/hygiene.ts'
import { html, type Html, type HtmlValue } from '../../../http/html.ts'
import { displayText } from '../../../http/pages/display-text.ts'
import { PAGES_OF_KIND, pathOf } from '../clients/client-kind.ts'
import { findUse } from '../clients/client-use.ts'
import { confirmLink } from '../elements/confirm.ts'
import { form, hidden } from '../elements/form.ts'
import type { Call } from '../page-types.ts'
import type { ConsoleServices } from '../services.ts'
import type { TextName } from '../texts.ts'

/** The actions that fix findings, by the names of the fixes in forms. */
export const FIXES = {
  rotate: CLIENT_ACTIONS.rotateSecret,
  expire: CLIENT_ACTIONS.update,
  disable: CLIENT_ACTIONS.disable,
  'revoke-old': CLIENT_ACTIONS.revokeOldSecret,
  'hand-over': CLIENT_ACTIONS.handOver,
} as const

type Fix = keyof typeof FIXES

const ROWS = {
  compromised: ['stateCompromisedWhy', 'rotate'],
  'known-to-former': ['findingKnownToFormer', 'rotate'],
  'owner-gone': ['stateOwnerGoneWhy', 'hand-over'],
  'expires-soon': ['findingExpiresSoon', 'expire'],
  'breaks-policy': ['findingBreaksPolicy', 'expire'],
  'never-expires': ['findingNeverExpires', 'expire'],
  'old-secret': ['findingOldSecret', 'rotate'],
  'two-secrets': ['findingTwoSecrets', 'revoke-old'],
  unused: ['findingUnused', 'disable'],
  'never-used': ['findingNeverUsed', 'disable'],
} as const satisfies Readonly<Record<Finding, readonly [sentence: TextName, Fix]>>

/** With two valid secrets, the old one must be revoked before a rotation. Only owners hand over a client. */
export function fixOf(finding: Finding, { secrets }: ClientFindings, by: 'owner' | 'operator'): Fix {
  const [, fix] = ROWS[finding]
  if (fix === 'hand-over' && by === 'operator') return 'disable'
  return fix === 'rotate' && secrets.length > 1 ? 'revoke-old' : fix
}

export function renewalOf(client: Client, policy: KeyPolicy): ClientChanges {
  if (isGatewayKey(client)) return { expiresAt: null }
  return { expiresAt: Math.floor(Date.now() / 1000) + renewalDays(policy) * 86_400 }
}

export function rightOf(fix: Fix, client: Client, policy: KeyPolicy) {
  const isLonger = fix === 'expire' && givesMore(client, renewalOf(client, policy))
  return rightTo(isLonger ? 'give' : FIXES[fix].owner.act, client.kind)
}

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
  const isStopped = finding === 'compromised' && isGatewayKey(client)
  const sentence = texts.html(isStopped ? 'gatewayStops' : ROWS[finding][0], {
    ago: time,
    in: time,
    days: maxAgeDays,
    users,
  })
  if (finding !== 'two-secrets') return sentence
  const used = old?.lastUsedAt
  return used === undefined
    ? html`${sentence} ${texts.html('findingOldNeverUsed')}`
    : html`${sentence} ${texts.html('findingOldUsed', { ago: texts.relative(used) })}`
}

/** The cursor of the list page that is shown, or of the list page whose form was sent. */
export function cursorOf({ query, form: sent }: Pick<Call, 'query' | 'form'>): string | undefined {
  return query['cursor'] ?? sent.get('cursor') ?? undefined
}

/** What this page does itself, with the texts that ask first. A new secret and a new owner have pages of their own. */
export const QUESTIONS = {
  expire: { title: 'fixExpire', what: 'fixExpireHint', button: 'saveButton' },
  disable: FIXES.disable.owner.texts,
  'revoke-old': FIXES['revoke-old'].owner.texts,
} as const

/** What the fix of a finding ends, and its button, which asks first if programs use what it ends. */
export async function fixForm(
  call: Pick<Call, 'texts' | 'self' | 'to' | 'csrfToken' | 'query' | 'form'>,
  finding: Finding,
  fix: Fix,
  { client }: ClientFindings,
  services: ConsoleServices,
): Promise<Html> {
  const { texts, to } = call
  const own = to(pathOf(PAGES_OF_KIND[client.kind], client))
  if (fix === 'rotate') {
    const link = { action: 'rotateSecret', style: 'slim' }
    const button = confirmLink({ self: `${own}/secrets` }, link, texts.html('clientsRotate'))
    return hintAbove(finding !== 'compromised' && texts.html('fixRotateHint'), button)
  }
  if (fix === 'hand-over') {
    const hint = texts.html(client.kind === 'apiKey' ? 'handOverTokens' : 'handOverSecrets')
    const link = html`<a class="button slim" href="${own}/hand-over">${texts.html('handOverLink')}</a>`
    return hintAbove(hint, link)
  }
  const isRenewal = finding === 'expires-soon'
  const renewal = isGatewayKey(client) ? 'fixNeverExpire' : 'fixRenew'
  const { what, title, button } = QUESTIONS[fix]
  const name = isRenewal ? renewal : fix === 'expire' ? title : button
  const text = texts.html(name, { days: renewalDays(services.keyPolicy) })
  const { expiresAt } = renewalOf(client, services.keyPolicy)
  const keepsTokens = fix === 'expire' && (expiresAt ?? Infinity) >= (await tokensEnd(client, services))
  const hint = texts.html(keepsTokens ? 'fixRenewHint' : what)
  const cursor = cursorOf(call)
  const fields = { clientId: client.clientId, finding, fix, ...(cursor !== undefined && { cursor }) }
  const action = 'fix'
  if (fix === 'revoke-old' || (!keepsTokens && (await findUse(services, client)).isInUse))
    return hintAbove(hint, confirmLink(call, { action, fields, style: 'slim' }, text))
  return form(
    call,
    { action },
    html`${Object.entries(fields).map(([field, value]) => hidden(field, value))}
    ${hintAbove(hint, html`<button class="slim">${text}</button>`)}`,
  )
}

function hintAbove(hint: HtmlValue, button: Html): Html {
  return html`<div class="tight">
    ${hint && html`<p class="hint">${hint}</p>`}
    <div>${button}</div>
  </div>`
}
