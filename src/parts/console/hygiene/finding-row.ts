import { isGatewayKey, type Client, type ClientChanges } from '../../../clients/client.ts'
import { CLIENT_ACTIONS } from '../../front-door/client-actions.ts'
import { givesMore, rightTo } from '../../front-door/permissions-on-clients.ts'
import { tokensEnd, type KeyPolicy } from '../../../clients/expiry-policy.ts'
import { renewalDays, type Finding } from '../../../clients/hygiene-findings.ts'
import type { ClientFindings } from '../../../clients/hygiene.ts'
import { html, type Html, type HtmlValue } from '../../../http/html.ts'
import { displayText } from '../../../http/pages/display-text.ts'
import { kindOf, pathOf } from '../clients/client-kind.ts'
import { confirmLink } from '../elements/confirm.ts'
import { form } from '../elements/form.ts'
import type { Call } from '../page-types.ts'
import type { ConsoleServices } from '../services.ts'
import type { TextName } from '../texts.ts'

/** The actions that fix findings, by the names of the fixes in forms. */
export const FIXES = {
  rotate: CLIENT_ACTIONS.rotateSecret,
  expire: CLIENT_ACTIONS.update,
  disable: CLIENT_ACTIONS.disable,
  'revoke-old': CLIENT_ACTIONS.revokeOldSecret,
} as const

type Fix = keyof typeof FIXES

const ROWS = {
  'known-to-former': ['findingKnownToFormer', 'rotate'],
  'breaks-policy': ['findingBreaksPolicy', 'expire'],
  'expires-soon': ['findingExpiresSoon', 'expire'],
  'old-secret': ['findingOldSecret', 'rotate'],
  'two-secrets': ['findingTwoSecrets', 'revoke-old'],
  unused: ['findingUnused', 'disable'],
  'never-used': ['findingNeverUsed', 'disable'],
  'never-expires': ['findingNeverExpires', 'expire'],
} as const satisfies Readonly<Record<Finding, readonly [sentence: TextName, Fix]>>

/** With two valid secrets, the old one must be revoked before a rotation. */
export function fixOf(finding: Finding, { secrets }: Pick<ClientFindings, 'secrets'>): Fix {
  const [, fix] = ROWS[finding]
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
  const sentence = texts.html(ROWS[finding][0], { ago: time, in: time, days: maxAgeDays, users })
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

/** What the fix of a finding does, and its button. A new secret is created on the page of the client. */
export async function fixForm(
  call: Pick<Call, 'texts' | 'self' | 'to' | 'csrfToken' | 'query' | 'form'>,
  finding: Finding,
  found: ClientFindings,
  services: ConsoleServices,
): Promise<Html> {
  const { texts } = call
  const fix = fixOf(finding, found)
  if (fix === 'rotate') {
    const self = call.to(`${pathOf(kindOf(services, found.client), found.client)}/secrets`)
    const link = { action: 'rotateSecret', style: 'slim' }
    return hintAbove(
      texts.html('clientsRotateWhat'),
      confirmLink({ self }, link, texts.html('clientsRotate')),
    )
  }
  const cursor = cursorOf(call)
  const fields = { clientId: found.client.clientId, finding, fix, ...(cursor !== undefined && { cursor }) }
  if (fix === 'revoke-old') {
    const link = { action: 'revokeOldSecret', fields, style: 'slim' }
    const button = confirmLink(call, link, texts.html('clientsRevokeOld'))
    return hintAbove(texts.html('clientsRevokeOldWhat'), button)
  }
  const { expiresAt } = renewalOf(found.client, services.keyPolicy)
  const keepsTokens = fix === 'expire' && (expiresAt ?? Infinity) >= (await tokensEnd(found.client, services))
  const isRenewal = finding === 'expires-soon'
  const renewal = isGatewayKey(found.client) ? 'fixNeverExpire' : 'fixRenew'
  const expire = texts.html(isRenewal ? renewal : 'fixExpire', { days: renewalDays(services.keyPolicy) })
  const words = {
    disable: [texts.html('fixDisableHint'), texts.html('disableButton')],
    expire: [texts.html(keepsTokens ? 'fixRenewHint' : 'fixExpireHint'), expire],
  }
  const [hint, button] = words[fix]
  return form(
    call,
    { action: 'fix' },
    html`${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    ${hintAbove(hint, html`<button class="slim">${button}</button>`)}`,
  )
}

function hintAbove(hint: HtmlValue, button: Html): Html {
  return html`<div class="tight">
    <p class="hint">${hint}</p>
    <div>${button}</div>
  </div>`
}
