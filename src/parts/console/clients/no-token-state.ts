import type { Catalog, Operation } from '../../../catalog/catalog.ts'
import { isGatewayKey, type Client } from '../../../clients/client.ts'
import { LAST_USE_SECONDS } from '../../../clients/last-used.ts'
import { html, type Html } from '../../../http/html.ts'
import { displayText } from '../../../http/pages/display-text.ts'
import type { NoTokenReason } from '../../../clients/why-no-token.ts'
import { badge, notice, type Tone } from '../elements/elements.ts'
import { form } from '../elements/form.ts'
import type { Call, Texts } from '../page-types.ts'
import type { TextName } from '../texts.ts'

/**
 * The badge and the sentence of each state, and what helps: a text; a path below the client's, or an action; the act it needs.
 */
const STATES: Readonly<Record<NoTokenReason, State>> = {
  'disabled-by-operator': ['stateByOperator', 'bad', 'stateByOperatorWhy'],
  disabled: ['stateDisabled', 'off', 'stateDisabledWhy', ['enableButton', 'enable', 'give']],
  expired: ['stateExpired', 'bad', 'stateExpiredWhy', ['stateExpiredNext', '/restrictions', 'give']],
  compromised: ['stateCompromised', 'bad', 'stateCompromisedWhy', ['clientsRotate', '/secrets', 'rotate']],
  'no-secret': ['stateNoSecret', 'bad', 'stateNoSecretWhy', ['clientsRotate', '/secrets', 'rotate']],
  gateway: ['gatewayBadge', 'good', 'gatewayWhat'],
  'no-product': ['stateNoProduct', 'warn', 'stateNoProductWhy', ['clientsAddProducts', '/access', 'give']],
  'no-operation': [
    'stateNoOperation',
    'warn',
    'stateNoOperationWhy',
    ['stateNoOperationNext', '/access', 'give'],
  ],
  'owner-gone': ['stateOwnerGone', 'bad', 'stateOwnerGoneWhy', ['handOverLink', '/hand-over', 'handOver']],
  'user-operations': [
    'stateUserOperations',
    'bad',
    'stateUserOperationsWhy',
    ['handOverLink', '/hand-over', 'handOver'],
  ],
  'kyc-level': ['stateLevel', 'warn', 'stateLevelWhy', ['stateLevelNext', '/access', 'write']],
  'no-redirect-uri': [
    'stateNoRedirectUri',
    'warn',
    'clientsNoRedirectUri',
    ['clientsSetRedirectUri', '/settings', 'write'],
  ],
}

type State = readonly [
  badge: TextName,
  tone: Tone,
  why: TextName,
  next?: readonly [TextName, where: string, NextAct],
]

type NextAct = 'write' | 'give' | 'rotate' | 'handOver'

/** Without markup. `no-token` covers all states without tokens. */
export function stateText({ texts }: Texts, state: NoTokenReason | 'active' | 'no-token'): string {
  if (state === 'active') return texts.plain('stateActive')
  return texts.plain(state === 'no-token' ? 'stateNoToken' : STATES[state][0])
}

export function stateBadge({ texts }: Texts, noToken: NoTokenReason | undefined): Html {
  if (noToken === undefined) return badge(texts.html('stateActive'), 'good')
  const [name, tone] = STATES[noToken]
  return badge(texts.html(name), tone)
}

/** Says why a client gets no token, with a button for what the viewer can do. */
export async function stateNotice(
  call: Call<Client>,
  viewer: { pathOf(client: Client): string; may(call: Call<Client>, act: NextAct): Promise<boolean> },
  noToken: NoTokenReason | undefined,
): Promise<Html | undefined> {
  if (noToken === undefined) return undefined
  const [, tone, why, next] = STATES[noToken]
  const { texts, to, resource: client } = call
  const isStopped = isGatewayKey(client) && noToken !== 'gateway'
  const sentence = html`<p>${texts.html(isStopped ? 'gatewayStops' : why)}</p>`
  if (!next || !(await viewer.may(call, next[2]))) return notice(tone, sentence)
  const [text, where] = next
  const button = where.startsWith('/')
    ? html`<a class="button slim" href="${to(viewer.pathOf(client) + where)}">${texts.html(text)}</a>`
    : form(call, { action: where, isInline: true }, html`<button class="slim">${texts.html(text)}</button>`)
  return notice(tone, html`<div class="line spread">${sentence} ${button}</div>`)
}

/** When a client was last used: never, lately, or how long ago. */
export function lastUsed({ texts }: Texts, { lastUsedAt }: Pick<Client, 'lastUsedAt'>): Html {
  if (lastUsedAt === undefined) return html`<span class="muted">${texts.html('never')}</span>`
  const isFresh = Date.now() / 1000 - lastUsedAt < LAST_USE_SECONDS
  return isFresh ? texts.html('clientsUsedLately') : texts.ago(lastUsedAt)
}

export function credentialUse({ texts }: Texts, lastUsedAt: number | undefined): Html {
  if (lastUsedAt === undefined) return texts.html('clientsSecretNeverUsed')
  return texts.html('clientsSecretUsed', { ago: texts.relative(lastUsedAt) })
}

/** The id, if the catalog no longer has the product. */
export function productTitle({ texts }: Texts, { products }: Pick<Catalog, 'products'>, id: string): string {
  const product = products.get(id)
  return product ? texts.localize(product.title) : displayText(id)
}

type Level = { readonly catalog: Catalog; readonly kycLevel: string | undefined }

export function neededLevel({ texts }: Texts, { catalog, kycLevel }: Level, operation: Operation): Html {
  const level = kycLevel ?? catalog.kycLevels[0] ?? ''
  return texts.html('clientsNeedsLevel', { needed: operation.kycLevel, level })
}
