import type { AuditEntry } from '../../../audit/entry.ts'
import type { Catalog } from '../../../catalog/catalog.ts'
import type { ApplicationChanges } from '../../../clients/client.ts'
import type { AuditReason } from '../../../host/audit-reason.ts'
import type { GatehouseEvents } from '../../../host/events.ts'
import { html, type Html, type HtmlValue } from '../../../http/html.ts'
import { displayText } from '../../../http/pages/display-text.ts'
import { isObject } from '../../../validation/predicates.ts'
import { productTitle } from '../clients/no-token-state.ts'
import { limitsText } from '../operator/limits-panel.ts'
import type { Reader } from '../reader-formats.ts'
import { scopeTitle } from '../scope-title.ts'
import { english, type ConsoleTexts, type TextName } from '../texts.ts'

/** The type makes the compiler report an event without a sentence. */
export const SENTENCES: { readonly [Name in keyof GatehouseEvents]: TextName } = {
  'client.created': 'createdLabel',
  'client.changed': 'activityFieldsChanged',
  'client.deleted': 'activityDeleted',
  'client.expiring': 'activityExpiring',
  'client.expired': 'activityExpired',
  'client.compromised': 'activityCompromised',
  'secret.exposed': 'activitySecretExposed',
  'consent.approved': 'activityApproved',
  'consent.denied': 'activityDenied',
  'grant.limited': 'activityLimited',
  'grant.revoked': 'activityDisconnected',
  'account.erased': 'activityErased',
  'document_host.blocked': 'activityHostBlocked',
  'document_host.unblocked': 'activityHostUnblocked',
  'token.revoked': 'activityTokenRevoked',
  'token.issued': 'activityTokenIssued',
  'token.rejected': 'activityTokenRejected',
  'refresh_token.retried': 'activityRefreshRetried',
  'refresh_token.reused': 'activityRefreshReused',
  'code.reused': 'activityCodeReused',
  'client_authentication.failed': 'activityWrongSecret',
  'client_authentication.limited': 'activityWrongSecret',
  'sign_in.rejected': 'activitySignInRejected',
  'key.published': 'activityKeyPublished',
  'key.activated': 'activityKeyActivated',
  'key.retired': 'activityKeyRetired',
  'key.revoked': 'activityKeyRevoked',
  'catalog.reloaded': 'activityCatalogReloaded',
  'catalog.rejected': 'activityCatalogRejected',
  'revocations.stale': 'activityRevocationsStale',
  'revocations.fresh': 'activityRevocationsFresh',
  'limits.stale': 'activityLimitsStale',
  'limits.fresh': 'activityLimitsFresh',
  error: 'activityError',
}

/** Changes of a client that do more than set fields. */
const CHANGES: Readonly<Record<string, TextName>> = {
  'product.added': 'activityProductAdded',
  'product.removed': 'activityProductRemoved',
  'operation.removed': 'activityOperationRemoved',
  'operation.restored': 'activityOperationRestored',
  'secret.rotated': 'activitySecretRotated',
  'secret.revoked': 'activityOldSecretRevoked',
  'key.added': 'activityPublicKeyAdded',
  'key.removed': 'activityPublicKeyRemoved',
  disabled: 'activityDisabled',
  enabled: 'activityEnabled',
  owner: 'activityHandedOver',
  'tokens.revoked': 'activityTokensRevoked',
}

/** Ends the names of events and changes after which a client or a person has less access than before. */
export const REMOVAL = /\.(?:blocked|compromised|deleted|erased|expired|limited|removed|reused|revoked)$/

/** `activityFieldName` names the field `name`. The compiler reports a field of a change without such a text. */
const WORDS: Pick<ConsoleTexts, `activityField${Capitalize<keyof ApplicationChanges>}`> = english

function find(names: Readonly<Record<string, TextName>>, name: string): TextName | undefined {
  return Object.hasOwn(names, name) ? names[name] : undefined
}

/** What an entry of the audit trail says, in one sentence. For an unknown entry, the result is its name. */
export function sentenceOf(entry: AuditEntry, texts: Reader, catalog: Catalog): Html {
  const { name, change = '', target = '', userId = '', erased } = entry
  const sentence = find(SENTENCES, name)
  if (sentence === undefined) return html`<bdi>${displayText(name)}</bdi>`
  const time = timeIn(target, texts)
  if (name !== 'client.changed') return texts.html(sentence, { time, host: displayText(target, 255) })
  if (change === 'secret.revoked' && target === 'new') return texts.html('activityNewSecretRevoked')
  if (change === 'tokens.revoked' && target !== '') return texts.html('activityScopedTokensRevoked')
  const changed = find(CHANGES, change)
  if (changed === undefined) return texts.html(sentence, { fields: fieldsOf(change, texts) })
  const product = catalog.products.get(target)
  const account = erased ? 'activityByErased' : 'ownerAccount'
  return texts.html(changed, {
    product: product ? texts.localize(product.title) : displayText(target),
    operation: scopeTitle(target, texts, catalog),
    key: html`<code dir="ltr">${displayText(target)}</code>`,
    from: displayText(userId) || texts.plain(account),
    to: displayText(target) || texts.plain(account),
  })
}

function timeIn(target: string, texts: Reader): Html | undefined {
  return /^\d{4}-\d\d-\d\dT/.test(target) ? texts.expiry(Date.parse(target) / 1000) : undefined
}

function fieldsOf(change: string, texts: Reader): string {
  const names = change.split(',').map((field) => {
    const word = `activityField${field.charAt(0).toUpperCase()}${field.slice(1)}`
    return Object.hasOwn(WORDS, word) ? texts.plain(word as TextName) : displayText(field)
  })
  return texts.list(names)
}

/** “name: Nightly → Hourly”, for each field whose values an entry has. */
export function changedValues(entry: AuditEntry, texts: Reader, catalog: Catalog): Html[] {
  const { before = {}, after = {} } = entry
  return Object.keys({ ...before, ...after }).map((name) => {
    const [old, now] = [before[name], after[name]].map((value) => valueIn(name, value, texts, catalog))
    return html`${fieldsOf(name, texts)}: ${old} → ${now}`
  })
}

function valueIn(name: string, value: unknown, texts: Reader, catalog: Catalog): HtmlValue {
  if (name === 'limits' && isObject(value)) return limitsText({ texts }, value)
  const items = [value ?? []].flat().map((item: unknown) => String(item))
  if (items.length === 0) return texts.html(name === 'expiresAt' ? 'never' : 'none')
  const titleOf = (item: string) =>
    name === 'products' ? productTitle({ texts }, catalog, item) : displayText(item, 200)
  return (
    (name === 'expiresAt' && timeIn(String(items), texts)) ||
    html`<bdi>${texts.list(items.map(titleOf))}</bdi>`
  )
}

/** An entry of another version may have another reason, which is shown as it is. */
const REASONS: Readonly<Record<AuditReason, TextName>> = {
  'client-revoked-token': 'activityReasonClient',
  'client-revoked-too-many-tokens': 'activityReasonTooManyRevoked',
  'too-many-grants': 'activityReasonTooMany',
  'host-blocked': 'activityReasonHost',
  'client-disabled': 'outcomeDisabled',
  'client-expired': 'outcomeExpired',
  'account-changed': 'activityReasonAccount',
  'too-many-different-failures': 'activityReasonFlood',
}

export function reasonInWords(reason: AuditReason, texts: Pick<Reader, 'plain'>): string {
  return Object.hasOwn(REASONS, reason) ? texts.plain(REASONS[reason]) : displayText(reason)
}
