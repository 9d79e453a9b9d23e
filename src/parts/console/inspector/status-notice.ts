import type { ConsoleServices } from '../services.ts'
import { isEpochSeconds } from '../../../validation/predicates.ts'
import { directScopes } from '../../../catalog/resolve-scopes.ts'
import type { Catalog } from '../../../catalog/catalog.ts'
import { whyUnusable } from '../../../clients/why-no-token.ts'
import { html, type Html } from '../../../http/html.ts'
import type { RevocationCause } from '../../../revocation/is-revoked.ts'
import { scopeTitle } from '../scope-title.ts'
import { notice } from '../elements/elements.ts'
import type { Reader } from '../reader-formats.ts'
import type { TextName } from '../texts.ts'
import type { Inspection, RejectedFor } from './inspect-token.ts'

/** Says in words whether a token works, why not, and what to do next. */
export function statusNotice(
  inspection: Inspection,
  texts: Reader,
  { catalog, issuer, audience }: ConsoleServices,
): Html {
  const { status, claims } = inspection
  const say = (tone: 'good' | 'warn' | 'bad', title: TextName, text: Html | undefined) =>
    notice(
      tone,
      html`<p><strong>${texts.html(title)}</strong></p>
        ${text && html`<p>${text}</p>`}`,
    )
  const { exp } = claims
  const end = isEpochSeconds(exp) ? { time: texts.dateTime(exp * 1000), ago: texts.relative(exp) } : {}
  if (status.is === 'valid') {
    const address = html`<code dir="ltr">${issuer}/oauth2/revoke</code>`
    const how = texts.html('inspectorValidEnd', { address })
    return say('good', 'inspectorValid', html`${texts.html('inspectorValidText', end)} ${how}`)
  }
  if (status.is === 'expired') return say('warn', 'inspectorExpired', texts.html('inspectorExpiredText', end))
  if (status.is === 'revoked') {
    const text = causeText(status.cause, inspection, texts, catalog.current)
    return say('bad', 'inspectorRevoked', text)
  }
  const [title, text] = REJECTED[status.problem]
  return say('bad', title, texts.html(text, { issuer, audience, claim: status.claim }))
}

const REJECTED: Readonly<Record<RejectedFor, readonly [TextName, TextName]>> = {
  unsigned: ['inspectorUnsigned', 'inspectorUnsignedText'],
  'not-access-token': ['inspectorNotAccessToken', 'inspectorNotAccessTokenText'],
  'wrong-issuer': ['inspectorOtherIssuer', 'inspectorOtherIssuerText'],
  'wrong-audience': ['inspectorOtherAudience', 'inspectorOtherAudienceText'],
  'wrong-signature': ['inspectorWrongSignature', 'inspectorWrongSignatureText'],
  'unknown-key': ['inspectorUnknownKey', 'inspectorUnknownKeyText'],
  'too-long': ['inspectorRejected', 'inspectorTooLong'],
  malformed: ['inspectorRejected', 'inspectorMalformed'],
  'no-key-id': ['inspectorRejected', 'inspectorNoKeyId'],
  'wrong-algorithm': ['inspectorRejected', 'inspectorWrongAlgorithm'],
  'not-valid-yet': ['inspectorRejected', 'inspectorNotValidYet'],
  'missing-claim': ['inspectorRejected', 'inspectorMissingClaim'],
  'wrong-claim': ['inspectorRejected', 'inspectorWrongClaim'],
  'bound-to-key': ['inspectorRejected', 'inspectorBoundToKey'],
}

const CAUSES = {
  token: 'inspectorRevokedToken',
  grant: 'inspectorRevokedGrant',
  host: 'inspectorRevokedHost',
  key: 'inspectorRevokedKey',
} as const

function causeText(cause: RevocationCause, { client, scopes }: Inspection, texts: Reader, catalog: Catalog) {
  const say = (name: TextName, list: readonly string[]) => {
    const titles = list.map((scope) => scopeTitle(scope, texts, catalog))
    return texts.html(name, { list: texts.list(titles) })
  }
  if (cause.of === 'operation') return say('inspectorRevokedOperation', cause.scopes)
  if (cause.of === 'grant' && cause.scopes) return say('inspectorRevokedGrantScopes', cause.scopes)
  if (cause.of !== 'client') return texts.html(CAUSES[cause.of])
  if (cause.isPermanent || !client) return texts.html('inspectorRevokedDeleted')
  const unusable = whyUnusable(client)
  if (unusable)
    return texts.html(unusable === 'expired' ? 'inspectorRevokedExpired' : 'inspectorRevokedDisabled')
  if (cause.scopes) return say('inspectorRevokedScopes', cause.scopes)
  const present = new Set(directScopes(catalog, client))
  const removed = scopes.filter((scope) => catalog.operations.has(scope) && !present.has(scope))
  return removed.length > 0 ? say('inspectorRevokedAccess', removed) : texts.html('inspectorRevokedClient')
}
