import type { Adapter } from 'oidc-provider'
import { personOf, subjectOf } from '../../../host/subject.ts'
import { requesterOf } from '../../../audit/entry.ts'
import type { Principal } from '../../../gateway/principal.ts'
import { recordOf, currentContext, requestState } from '../request-state.ts'
import type { ProviderParts } from '../dependencies.ts'
import type { RevokeOwnToken } from '../../../access/revoke-own-token.ts'
import { tokenAsIssued } from '../seam/tokens.ts'
import { modelAdapter } from './adapter.ts'

const AT_ENDPOINT: Readonly<Record<string, (token: Principal) => object>> = {
  // With this kind, a token for direct access is valid but lacks the scope `openid`: 403, and not 401.
  userinfo: () => ({ kind: 'AccessToken' }),
  // RFC 7662 2.2.
  introspection({ claims }) {
    const { aud, sub, access_mode, account_id, user_id, grant_id, allowed_networks } = claims
    return { aud, extra: { sub, access_mode, account_id, user_id, grant_id, allowed_networks } }
  },
  // oidc-provider would ignore a token that only the clock of this process calls expired.
  revocation: ({ claims, expiresAt }) => ({
    exp: Infinity,
    extra: { access_epoch: claims['access_epoch'], until: expiresAt },
  }),
}

/** What introspection, revocation and user info find for an access token, which is a JWT and is not stored. */
export function accessTokens(
  model: 'AccessToken' | 'ClientCredentials',
  parts: ProviderParts,
  revokeAccessToken: RevokeOwnToken,
): Adapter {
  return modelAdapter(model, {
    async find(value) {
      const ctx = currentContext()
      const { route } = ctx.oidc
      const token = await parts.verifyAccessToken(tokenAsIssued(ctx, value))
      // The store may not have the revocation of this process yet, so a client can revoke again.
      if (!token || (route !== 'revocation' && parts.isTokenRevoked(token))) return undefined
      const { allowed_networks: networks } = token.claims
      // The client itself requests user info, so its address is checked. Other endpoints may have other callers.
      if (route === 'userinfo' && typeof networks === 'string') {
        const { address } = requesterOf(requestState(ctx).host)
        if (!parts.proxyCheck.mayUseFrom(networks, address)) return undefined
      }
      const record = { ...accessTokenRecord(token), ...AT_ENDPOINT[route]?.(token) }
      return record.kind === model ? record : undefined
    },

    // Only the revocation endpoint destroys access tokens.
    async destroy(tokenId) {
      const ctx = currentContext()
      const token = ctx.oidc.entities[model]
      const { client } = ctx.oidc
      const subject = token && 'accountId' in token ? token.accountId : undefined
      const owner = subject === undefined ? client && recordOf(client) : personOf(subject)
      const clientId = client?.clientId ?? ''
      const { access_epoch: epoch = 0, until } = (token?.extra ?? {}) as Partial<Record<string, number>>
      const entry = {
        clientId,
        accountId: owner?.accountId,
        userId: owner?.userId,
        ...requesterOf(requestState(ctx).host),
      }
      const grantId = token && 'grantId' in token ? token.grantId : undefined
      const isRevoked = await revokeAccessToken(
        { of: 'token', id: tokenId, until, clientId, epoch, grantId },
        { name: 'token.revoked', tokenId, ...entry, reason: 'client-revoked-token' },
      )
      if (isRevoked || grantId === undefined) return
      const reason = 'client-revoked-too-many-tokens'
      await parts.revokeGrant(grantId, { name: 'grant.revoked', grantId, ...entry, reason })
    },

    // `revokeGrant()` revokes the access tokens of a grant.
    revokeByGrantId: async () => {},
  })
}

/** Relies on: oidc-provider treats a record without `aud` and `format` as an opaque token, valid for user info. */
function accessTokenRecord(token: Principal) {
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
