import { subjectOf } from '../../../host/subject.ts'
import type { Principal } from '../../../gateway/principal.ts'

/** An access token as oidc-provider's models know it. */
export type AccessTokenRecord = ReturnType<typeof accessTokenRecord> & {
  readonly aud?: string | string[] | undefined
  readonly extra?: Readonly<Record<string, unknown>> | undefined
}

/**
 * The record of a verified access token. It has neither `aud` nor `format`.
 *
 * Relies on: oidc-provider takes such a record for an opaque token, which the user info endpoint accepts.
 */
export function accessTokenRecord(token: Principal) {
  const isDirect = token.mode === 'direct'
  return {
    kind: isDirect ? 'ClientCredentials' : 'AccessToken',
    jti: token.tokenId,
    clientId: token.clientId,
    accountId: isDirect ? undefined : subjectOf(token),
    grantId: isDirect ? undefined : token.grantId,
    scope: token.scopes.join(' '),
    iat: token.claims.iat,
    exp: token.expiresAt,
  }
}
