import type { Adapter, KoaContextWithOIDC } from 'oidc-provider'
import { requesterOf } from '../../../http/client-address.ts'
import type { ProviderParts } from '../dependencies.ts'
import { isActive } from '../endpoints/introspect.ts'
import { redeemCode } from '../endpoints/token/authorization-code-grant.ts'
import { findRefreshToken, rotateRefreshToken } from '../endpoints/token/refresh-token-grant.ts'
import { ownerOf, revokeReused } from '../endpoints/token/reuse.ts'
import { getRefreshToken, currentContext, requestState } from '../request-state.ts'
import { isRotation, tokenAsIssued } from '../seam/tokens.ts'
import { modelAdapter, withoutId } from './adapter.ts'

/**
 * Refresh tokens, stored as families. oidc-provider first consumes a token, and then saves the next token. If
 * `consume` wrote to the store, a failure before the second write would leave the client without a valid
 * token. So `consume` does nothing here, and `upsert` replaces the old token with the next token in one
 * write.
 */
export function refreshTokens(parts: ProviderParts): Adapter {
  function find(ctx: KoaContextWithOIDC, token: string) {
    const { route } = ctx.oidc
    if (route === 'introspection') return getRefreshToken(parts, ctx, token)
    return route === 'revocation' ? parts.families.find(token) : findRefreshToken(parts, ctx, token)
  }

  return modelAdapter('RefreshToken', {
    async upsert(token, payload, ttl = 0) {
      const ctx = currentContext()
      if (isRotation(ctx)) await rotateRefreshToken(parts, ctx, token, withoutId(payload), ttl)
      else await redeemCode(parts, ctx, token, withoutId(payload), ttl)
    },

    async find(value) {
      const ctx = currentContext()
      const found = await find(ctx, tokenAsIssued(ctx, value))
      if (!found) return undefined
      const isConsumed = ctx.oidc.route === 'introspection' ? !isActive(found) : found.state === 'used'
      return { ...found.payload, jti: value, consumed: isConsumed || undefined }
    },

    consume: async () => {},

    /**
     * oidc-provider destroys a token that was used before (RFC 9700 4.14.2), and a token that its client
     * revokes. In both cases this method revokes the whole grant.
     */
    async destroy() {
      const ctx = currentContext()
      const { route, entities } = ctx.oidc
      const { RefreshToken: token } = entities
      if (!token) throw new TypeError('this request has not found the refresh token')
      if (route === 'token') await revokeReused(parts, 'refresh_token.reused', token)
      else {
        const entry = {
          ...ownerOf(token),
          ...requesterOf(requestState(ctx).host),
          reason: 'client-revoked-token' as const,
        }
        await parts.revokeGrant(token.grantId ?? '', { name: 'grant.revoked', ...entry })
      }
    },

    // The endpoints revoke whole grants with `revokeGrant()`, so this method does nothing.
    revokeByGrantId: async () => {},
  })
}
