import { errors, type Provider, type TokenEndpointGrantContext } from 'oidc-provider'
import { directScopes, explainRejection } from '../../catalog/resolve-scopes.ts'
import { recordOf } from './client-metadata.ts'
import type { ProviderDependencies } from './dependencies.ts'
import type { FindAccounts } from './find-account.ts'
import { requestState } from './request-state.ts'
import { requireKnownResource } from './resource-indicator.ts'
import { requestedScopes, requireAllowed } from './requested-scope.ts'

interface DirectAccessParameters {
  scope?: string | undefined
  resource?: string | string[] | undefined
}

/**
 * Direct access: the client credentials grant (RFC 6749 4.4). oidc-provider's own issues a token without any
 * scope where none is asked for; ours carries all scopes of all products of the key.
 */
export function registerClientCredentialsGrant(
  provider: Provider,
  { settings, catalog }: Pick<ProviderDependencies, 'settings' | 'catalog'>,
  hostAccounts: FindAccounts,
): void {
  async function directAccess(ctx: TokenEndpointGrantContext<DirectAccessParameters>): Promise<void> {
    const { client, params } = ctx.oidc
    const key = recordOf(client)
    requireKnownResource(params.resource, settings.audience)

    // One catalog to the end: products may change while the host is asked.
    const { current } = catalog
    requestState(ctx).catalogEpoch = current.epoch
    const available = directScopes(current, key)
    if (available.length === 0) {
      throw new errors.UnauthorizedClient('this API key has no operation; add an API product to it first')
    }
    if (!(await hostAccounts.find(ctx, key))) {
      throw new errors.UnauthorizedClient('the account that owns this API key does not exist any more')
    }
    const requested = requestedScopes(params.scope)
    requireAllowed(requested, (scope) => explainRejection(current, key, undefined, scope))
    const scopes = requested.length > 0 ? requested : available

    const token = new provider.ClientCredentials({ client, scope: scopes.join(' ') })
    token.resourceServer = new provider.ResourceServer(settings.audience, {
      audience: settings.audience,
      scope: token.scope ?? '',
      accessTokenFormat: 'jwt',
      jwt: { sign: { alg: 'ES256' } },
    })
    ctx.oidc.entity('ClientCredentials', token)
    ctx.body = {
      access_token: await token.save(),
      expires_in: token.expiration,
      scope: token.scope,
      token_type: token.tokenType,
    }
  }

  provider.registerGrantType('client_credentials', directAccess, ['scope', 'resource'])
}
