import type { ConsoleServices } from '../services.ts'
import { isEpochSeconds } from '../../../validation/predicates.ts'
import { directScopes } from '../../../catalog/resolve-scopes.ts'
import type { Catalog } from '../../../catalog/catalog.ts'
import type { Client } from '../../../clients/client.ts'
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
  const { status, client, claims, scopes } = inspection
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
    const parts = { texts, catalog: catalog.current, client, scopes }
    return say('bad', 'inspectorRevoked', causeText(status.cause, parts))
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

function causeText(
  cause: RevocationCause,
  parts: { texts: Reader; catalog: Catalog; client: Client | undefined; scopes: readonly string[] },
): Html {
  const { texts, catalog, client, scopes } = parts
  const say = (name: TextName, list: readonly string[]) => {
    const titles = list.map((scope) => scopeTitle(scope, texts, catalog))
    return texts.html(name, { list: texts.list(titles) })
  }
  switch (cause.of) {
    case 'token':
      return texts.html('inspectorRevokedToken')
    case 'grant':
      return cause.scopes
        ? say('inspectorRevokedGrantScopes', cause.scopes)
        : texts.html('inspectorRevokedGrant')
    case 'host':
      return texts.html('inspectorRevokedHost')
    case 'key':
      return texts.html('inspectorRevokedKey')
    case 'operation':
      return say('inspectorRevokedOperation', cause.scopes)
    case 'client':
  }
  if (cause.isPermanent || !client) return texts.html('inspectorRevokedDeleted')
  const unusable = whyUnusable(client)
  if (unusable)
    return texts.html(unusable === 'expired' ? 'inspectorRevokedExpired' : 'inspectorRevokedDisabled')
  if (cause.scopes) return say('inspectorRevokedScopes', cause.scopes)
  const present = new Set(directScopes(catalog, client))
  const removed = scopes.filter((scope) => catalog.operations.has(scope) && !present.has(scope))
  return removed.length > 0 ? say('inspectorRevokedAccess', removed) : texts.html('inspectorRevokedClient')
}
