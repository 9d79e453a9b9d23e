import type { Adapter, KoaContextWithOIDC } from 'oidc-provider'
import { isActive } from '../endpoints/introspect.ts'
import type { DelegatedGrants } from '../endpoints/token.ts'
import { redeemCode } from '../endpoints/token/authorization-code-grant.ts'
import { findRefreshToken, rotateRefreshToken } from '../endpoints/token/refresh-token-grant.ts'
import { currentContext } from '../request-state.ts'
import type { RevokeGrant } from '../revoke-grant.ts'
import { isRotation, tokenAsIssued } from '../seam/tokens.ts'
import { modelAdapter, withoutId } from './adapter.ts'

/**
 * Refresh tokens, stored as families. oidc-provider consumes a token, and saves the next one afterwards, which loses
 * the family if a failure comes in between. Here consuming does nothing, and saving is the one write of an exchange.
 */
export function refreshTokens(
  { refreshToken, authorizationCode }: DelegatedGrants,
  revokeGrant: RevokeGrant,
): Adapter {
  const { reads, families, reuse } = refreshToken

  async function find(ctx: KoaContextWithOIDC, token: string) {
    switch (ctx.oidc.route) {
      case 'introspection': {
        const found = await reads.getRefreshToken(ctx, token)
        return found && { payload: found.payload, isConsumed: !isActive(found) }
      }
      case 'revocation': {
        const found = await families.find(token)
        return found && { payload: found.payload, isConsumed: false }
      }
      default: {
        const found = await findRefreshToken(refreshToken, ctx, token)
        return found && { payload: found.payload, isConsumed: found.state === 'used' }
      }
    }
  }

  return modelAdapter('RefreshToken', {
    async upsert(token, payload, ttl = 0) {
      const ctx = currentContext()
      if (isRotation(ctx)) await rotateRefreshToken(refreshToken, ctx, token, withoutId(payload), ttl)
      else await redeemCode(authorizationCode, ctx, token, withoutId(payload), ttl)
    },

    async find(value) {
      const ctx = currentContext()
      const found = await find(ctx, tokenAsIssued(ctx, value))
      return found && { ...found.payload, jti: value, consumed: found.isConsumed || undefined }
    },

    consume: async () => {},

    /** oidc-provider destroys a token that was used before (RFC 9700 4.14.2), and one that its client revokes. */
    async destroy() {
      const { route, entities } = currentContext().oidc
      const { RefreshToken: token } = entities
      if (!token) throw new TypeError('the refresh token was found by this request')
      if (route === 'token') await reuse.revokeReused('refresh_token.reused', token)
      else await revokeGrant(token.grantId ?? '')
    },

    // The endpoints revoke whole grants (`revoke-grant.ts`).
    revokeByGrantId: async () => {},
  })
}
