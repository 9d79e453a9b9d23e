import { errors, type Provider, type TokenEndpointGrantContext } from 'oidc-provider'
import { directScopes, explainRejection, limitToOwner } from '../../../../catalog/resolve-scopes.ts'
import { recordOf } from '../../client-metadata.ts'
import type { ProviderParts } from '../../dependencies.ts'
import { requestState } from '../../request-state.ts'
import { requestedScopes, requireAllowed } from '../../requested-scope.ts'
import { requireKnownResource, resourceServerOf } from '../../resource-indicator.ts'

/**
 * Registers the client credentials grant (RFC 6749 4.4), which gives direct access. Without `scope`, the
 * token carries all scopes of all products of the API key. With oidc-provider's own implementation, such a
 * token would carry no scope.
 */
export function registerClientCredentialsGrant(
  provider: Provider,
  { settings, catalog, accountLookup }: Pick<ProviderParts, 'settings' | 'catalog' | 'accountLookup'>,
): void {
  const { audience } = settings

  async function clientCredentials(
    ctx: TokenEndpointGrantContext<{ scope?: string; resource?: string | string[] }>,
  ): Promise<void> {
    const { client, params } = ctx.oidc
    const key = recordOf(client)
    requireKnownResource(params.resource, audience)

    // The whole request uses one catalog, because products may change while the host looks up the account.
    const { current } = catalog
    requestState(ctx).catalogEpoch = current.epoch
    const inProducts = directScopes(current, key)
    if (inProducts.length === 0) {
      throw new errors.UnauthorizedClient('this API key has no operation; add an API product to it first')
    }
    const owner = await accountLookup.find(ctx, key)
    if (!owner) {
      throw new errors.UnauthorizedClient(
        'the account that owns this API key, or the user who created it, does not exist any more',
      )
    }
    const allowed = new Set(limitToOwner(key, owner, inProducts))
    if (allowed.size === 0) {
      throw new errors.UnauthorizedClient('the user of this API key may use none of its operations now')
    }
    const requested = requestedScopes(params.scope)
    requireAllowed(
      requested,
      (scope) =>
        explainRejection(current, key, undefined, scope) ??
        (allowed.has(scope) ? undefined : `the user of this API key may not use the operation ${scope}`),
    )
    const scope = (requested.length > 0 ? requested : [...allowed]).join(' ')

    const token = new provider.ClientCredentials({ client, scope })
    token.resourceServer = new provider.ResourceServer(audience, resourceServerOf(audience, scope))
    ctx.oidc.entity('ClientCredentials', token)
    ctx.body = directTokenResponse(await token.save(), token.expiration, scope)
  }

  provider.registerGrantType('client_credentials', clientCredentials, ['scope', 'resource'])
}

/** The response with a token for direct access (RFC 6749 4.4.3). `lifetime` is in seconds. */
export function directTokenResponse(accessToken: string, lifetime: number, scope: string) {
  return { access_token: accessToken, expires_in: lifetime, scope, token_type: 'Bearer' }
}
