import { Provider, type Adapter } from 'oidc-provider'
import type { ProviderDependencies } from '../dependencies.ts'
import { modelAdapter } from './adapter.ts'

/**
 * Access tokens are JWTs and are not stored: one is found by verifying it.
 *
 * Relies on: a record with neither `aud` nor `format` is taken for an opaque token, which the user info endpoint
 * accepts; with them it would be refused.
 *
 * @param model `AccessToken` for delegated access, `ClientCredentials` for direct access
 */
export function accessTokens(
  model: 'AccessToken' | 'ClientCredentials',
  verify: ProviderDependencies['verifyAccessToken'],
): Adapter {
  return modelAdapter(model, {
    async find(jwt) {
      const token = await verify(jwt)
      if (!token) return undefined
      const isDirect = token.mode === 'direct'
      // A valid token of an API key is no invalid token there: it lacks `openid`, which makes it a 403.
      const isAsked = isDirect ? model === 'ClientCredentials' || isUserInfo() : model === 'AccessToken'
      if (!isAsked) return undefined
      return {
        kind: model,
        jti: token.tokenId,
        clientId: token.clientId,
        ...(isDirect ? {} : { accountId: token.accountId, grantId: token.grantId }),
        scope: token.scopes.join(' '),
        iat: token.claims.iat,
        exp: token.expiresAt,
      }
    },
    // Only a stored token can be deleted here.
    revokeByGrantId: async () => {},
  })
}

function isUserInfo(): boolean {
  return Provider.ctx?.oidc.route === 'userinfo'
}
