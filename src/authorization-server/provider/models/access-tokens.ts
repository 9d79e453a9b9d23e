import { Provider, type Adapter } from 'oidc-provider'
import { subjectOf } from '../../../host/subject.ts'
import type { ProviderDependencies, VerifiedAccessToken } from '../dependencies.ts'
import { isIntrospection, isRevocation } from '../request-kind.ts'
import { tokenAsIssued } from '../seam.ts'
import { modelAdapter } from './adapter.ts'

/**
 * Milliseconds for which it is remembered that a token was revoked here: a client that sends the same one again and
 * again would have every process hear and keep it each time.
 */
const REMEMBERED = 60_000

/**
 * Access tokens are JWTs and are not stored: one is found by verifying it, and revoked by a revocation of its
 * `jti`.
 *
 * Relies on: a record with neither `aud` nor `format` is taken for an opaque token, which the user info endpoint
 * accepts; with them it would be rejected. Where one is revoked, all else of its grant goes with it if the record
 * names the grant.
 *
 * @param model `AccessToken` for delegated access, `ClientCredentials` for direct access
 */
export function accessTokens(
  model: 'AccessToken' | 'ClientCredentials',
  deps: Pick<ProviderDependencies, 'verifyAccessToken' | 'isRevoked' | 'revocations'>,
): Adapter {
  const { verifyAccessToken, isRevoked, revocations } = deps
  /** Revocations that are being stored, by token id. */
  const pending = new Map<string, Promise<void>>()
  /**
   * When a token was revoked here, by token id, in the order of time. Times, no promises: a promise that is made inside
   * a request keeps the whole request in memory, as its asynchronous context.
   */
  const revokedAt = new Map<string, number>()

  async function storeRevocation(tokenId: string, until: number | undefined): Promise<void> {
    try {
      await revocations.revoke({ of: 'token', id: tokenId, until })
      revokedAt.set(tokenId, performance.now())
    } finally {
      pending.delete(tokenId)
    }
  }

  function takeBack(tokenId: string, until: number | undefined): Promise<void> {
    for (const [id, at] of revokedAt) {
      if (performance.now() - at < REMEMBERED) break
      revokedAt.delete(id)
    }
    if (revokedAt.has(tokenId)) return Promise.resolve()
    const stored = pending.get(tokenId) ?? storeRevocation(tokenId, until)
    pending.set(tokenId, stored)
    return stored
  }

  return modelAdapter(model, {
    async find(value) {
      const token = await verifyAccessToken(tokenAsIssued(value))
      if (!token) return undefined
      // It may be revoked again: the store may not have heard of the first time.
      if (!isRevocation() && isRevoked(token)) return undefined
      const isDirect = token.mode === 'direct'
      // A valid token of an API key is no invalid token there: it lacks `openid`, which makes it a 403.
      const isAsked = isDirect ? model === 'ClientCredentials' || isUserInfo() : model === 'AccessToken'
      if (!isAsked) return undefined
      return {
        kind: model,
        jti: token.tokenId,
        clientId: token.clientId,
        ...(isDirect ? {} : { accountId: subjectOf(token) }),
        ...(isDirect || isRevocation() ? {} : { grantId: token.grantId }),
        scope: token.scopes.join(' '),
        iat: token.claims.iat,
        exp: token.expiresAt,
        ...(isIntrospection() ? { aud: token.claims.aud, extra: introspectedClaims(token) } : {}),
      }
    },

    // At the revocation endpoint: this token alone.
    destroy: (tokenId) => takeBack(tokenId, Provider.ctx?.oidc.entities[model]?.exp),

    // Those of a grant are revoked with the grant.
    revokeByGrantId: async () => {},
  })
}

/** Claims that introspection tells beside those that oidc-provider does (RFC 7662 2.2). */
function introspectedClaims({ claims }: VerifiedAccessToken): Record<string, unknown> {
  const { sub, access_mode, account_id, user_id, grant_id } = claims
  return { sub, access_mode, account_id, user_id, grant_id }
}

function isUserInfo(): boolean {
  return Provider.ctx?.oidc.route === 'userinfo'
}
