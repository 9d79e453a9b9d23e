import type { Adapter } from 'oidc-provider'
import type { Principal } from '../../../gateway/principal.ts'
import type { ProviderParts } from '../dependencies.ts'
import { accessTokenToIntrospect } from '../endpoints/introspect.ts'
import type { RevokeAccessToken } from '../endpoints/revoke.ts'
import { accessTokenAtUserInfo } from '../endpoints/userinfo.ts'
import { currentContext } from '../request-state.ts'
import { tokenAsIssued } from '../seam/tokens.ts'
import { accessTokenRecord, type AccessTokenRecord } from './access-token-record.ts'
import { modelAdapter } from './adapter.ts'

/** What an endpoint changes in the record of an access token that it receives. */
const AT_ENDPOINT: Readonly<
  Record<string, (record: AccessTokenRecord, token: Principal) => AccessTokenRecord>
> = {
  userinfo: accessTokenAtUserInfo,
  introspection: accessTokenToIntrospect,
}

/**
 * Access tokens are JWTs and are not stored. A token is found by verifying it, and revoked by a revocation of its
 * `jti`.
 *
 * @param model `AccessToken` for delegated access, `ClientCredentials` for direct access
 */
export function accessTokens(
  model: 'AccessToken' | 'ClientCredentials',
  parts: Pick<ProviderParts, 'verifyAccessToken' | 'isTokenRevoked'>,
  revokeAccessToken: RevokeAccessToken,
): Adapter {
  return modelAdapter(model, {
    async find(value) {
      const ctx = currentContext()
      const { route } = ctx.oidc
      const token = await parts.verifyAccessToken(tokenAsIssued(ctx, value))
      // A revoked token can be revoked again, because the store may not have the revocation yet.
      if (!token || (route !== 'revocation' && parts.isTokenRevoked(token))) return undefined
      const record = accessTokenRecord(token)
      const changed = AT_ENDPOINT[route]?.(record, token) ?? record
      return changed.kind === model ? changed : undefined
    },

    // Only the revocation endpoint destroys access tokens.
    destroy: (tokenId) => revokeAccessToken(tokenId, currentContext().oidc.entities[model]?.exp),

    // The access tokens of a grant are revoked with the grant.
    revokeByGrantId: async () => {},
  })
}
