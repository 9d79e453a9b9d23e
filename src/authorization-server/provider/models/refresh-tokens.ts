import type { Adapter } from 'oidc-provider'
import { requesterOf } from '../../../audit/entry.ts'
import { ownerOf } from '../../../grants/refresh-tokens/revoke-reused.ts'
import type { ProviderParts } from '../dependencies.ts'
import { redeemCode } from '../endpoints/token/authorization-code-grant.ts'
import { currentContext, getGrant, requestState } from '../request-state.ts'
import { tokenAsIssued } from '../seam/tokens.ts'
import { modelAdapter, withoutId } from './adapter.ts'

/** Refresh tokens, stored as families. oidc-provider saves the first of a family; a refresh does not use this model. */
export function refreshTokens(parts: ProviderParts): Adapter {
  const { families, refreshTokenFormat } = parts
  return modelAdapter('RefreshToken', {
    upsert: (token, payload, ttl = 0) => redeemCode(parts, currentContext(), token, withoutId(payload), ttl),

    /** For introspection and revocation. */
    async find(value) {
      const ctx = currentContext()
      const token = tokenAsIssued(ctx, value)
      if (ctx.oidc.route === 'introspection' && refreshTokenFormat.isGenuine(token)) {
        // oidc-provider reads the grant next.
        getGrant(parts, ctx, refreshTokenFormat.parse(token)?.grantId ?? '').catch(() => {})
      }
      const found = await families.find(token)
      if (!found) return undefined
      // The previous token is not active, although the client can send it again within the grace period.
      const isConsumed =
        ctx.oidc.route === 'introspection' ? found.state !== 'current' : found.state === 'used'
      return { ...found.payload, jti: value, consumed: isConsumed || undefined }
    },

    /** For a token that its client revokes. */
    async destroy() {
      const ctx = currentContext()
      const { RefreshToken: token } = ctx.oidc.entities
      if (!token) throw new TypeError('this request has not found the refresh token')
      const owner = ownerOf(token)
      const requester = requesterOf(requestState(ctx).host)
      const reason = 'client-revoked-token'
      await parts.revokeGrant(owner.grantId, { name: 'grant.revoked', ...owner, ...requester, reason })
    },

    revokeByGrantId: async () => {},
  })
}
