import { subjectOf } from '../../../host/subject.ts'
import type { Principal } from '../../../gateway/principal.ts'

/** An access token in the form that oidc-provider's models use. */
export type AccessTokenRecord = ReturnType<typeof accessTokenRecord> & {
  readonly aud?: string | string[] | undefined
  readonly extra?: Readonly<Record<string, unknown>> | undefined
}

/**
 * The record of a verified access token. It has neither `aud` nor `format`.
 *
 * Relies on: oidc-provider treats a record without these two fields as an opaque token. The user info
 * endpoint accepts opaque tokens.
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
