import type { Provider, TokenEndpointGrantContext } from 'oidc-provider'
import { recordOf, requestState } from '../../request-state.ts'
import type { ProviderParts } from '../../dependencies.ts'
import { namedResource, resourceServerOf } from '../../resource-indicator.ts'
import { directTokenResponse, directTokenScopes } from './direct-access.ts'

/**
 * Registers the client credentials grant (RFC 6749 4.4), which gives direct access. It replaces oidc-provider's own
 * implementation, in which a token that is requested without `scope` would carry no scope.
 */
export function registerClientCredentialsGrant(
  provider: Provider,
  { resources, catalog, accountLookup }: Pick<ProviderParts, 'resources' | 'catalog' | 'accountLookup'>,
): void {
  async function clientCredentials(
    ctx: TokenEndpointGrantContext<{ scope?: string; resource?: string | string[] }>,
  ): Promise<void> {
    const { client, params } = ctx.oidc
    const key = recordOf(client)
    const resource = namedResource(params.resource, resources)
    const { current: all } = catalog
    requestState(ctx).catalogEpoch = all.epoch
    const findOwner = () => accountLookup.find(ctx, key)
    const scope = (await directTokenScopes(resource, all, key, params.scope, findOwner)).join(' ')

    const token = new provider.ClientCredentials({ client, scope })
    token.resourceServer = new provider.ResourceServer(resource.address, resourceServerOf(resource, scope))
    ctx.oidc.entity('ClientCredentials', token)
    ctx.body = directTokenResponse(await token.save(), token.expiration, scope)
  }

  provider.registerGrantType('client_credentials', clientCredentials, ['scope', 'resource'])
}
