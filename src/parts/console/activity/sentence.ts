import type { AuditEntry } from '../../../audit/entry.ts'
import type { Catalog } from '../../../catalog/catalog.ts'
import type { ApplicationChanges } from '../../../clients/client.ts'
import type { AuditReason } from '../../../host/audit-reason.ts'
import type { GatehouseEvents } from '../../../host/events.ts'
import { html, type Html } from '../../../http/html.ts'
import { displayText } from '../../../http/pages/display-text.ts'
import type { Reader } from '../reader-formats.ts'
import { scopeTitle } from '../scope-title.ts'
import { english, type ConsoleTexts, type TextName } from '../texts.ts'

/** The type makes the compiler report an event without a sentence. */
export const SENTENCES: { readonly [Name in keyof GatehouseEvents]: TextName } = {
  'client.created': 'activityCreated',
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

/** `activityFieldName` names the field `name`. The compiler reports a field of a change without such a text. */
const WORDS: Pick<ConsoleTexts, `activityField${Capitalize<keyof ApplicationChanges>}`> = english

function find(names: Readonly<Record<string, TextName>>, name: string): TextName | undefined {
  return Object.hasOwn(names, name) ? names[name] : undefined
}

/** What an entry of the audit trail says, in one sentence. For an unknown entry, the result is its name. */
export function sentenceOf(
  { name, change = '', target = '' }: AuditEntry,
  texts: Reader,
  catalog: Pick<Catalog, 'products' | 'operations'>,
): Html {
  const sentence = find(SENTENCES, name)
  if (sentence === undefined) return html`<bdi>${displayText(name)}</bdi>`
  const time = timeIn(target, texts)
  if (name !== 'client.changed') return texts.html(sentence, { time, host: displayText(target, 255) })
  if (change === 'secret.revoked' && target === 'new') return texts.html('activityNewSecretRevoked')
  if (change === 'tokens.revoked' && target !== '') return texts.html('activityScopedTokensRevoked')
  if (change === 'expiresAt')
    return time ? texts.html('activityExpirySet', { time }) : texts.html('activityExpiryRemoved')
  const changed = find(CHANGES, change)
  if (changed === undefined) return texts.html(sentence, { fields: fieldsOf(change, texts) })
  const product = catalog.products.get(target)
  return texts.html(changed, {
    product: product ? texts.localize(product.title) : displayText(target),
    operation: scopeTitle(target, texts, catalog),
    key: html`<code dir="ltr">${displayText(target)}</code>`,
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
