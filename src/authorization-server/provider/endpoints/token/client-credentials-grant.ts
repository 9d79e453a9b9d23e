import type { Provider, TokenEndpointGrantContext } from 'oidc-provider'
import type { Catalog } from '../../../../catalog/catalog.ts'
import { directScopes, limitToOwner } from '../../../../catalog/resolve-scopes.ts'
import type { Resource } from '../../../../catalog/resources.ts'
import type { Client } from '../../../../clients/client.ts'
import { whyNoOperation, whyUnauthorized } from '../../../../clients/why-no-token.ts'
import type { Account } from '../../../../host/accounts.ts'
import { requestedScopes, requireAllowed, requireUsableScope } from '../../requested-scope.ts'
import { explainRejectionAt, noAccess } from '../../resource-access.ts'
import { recordOf, requestState } from '../../request-state.ts'
import type { ProviderParts } from '../../dependencies.ts'
import { namedResource, resourceServerOf } from '../../resource-indicator.ts'

/** Registers client credentials (RFC 6749 4.4). By default, a token of oidc-provider has no scope. */
export function registerClientCredentialsGrant(
  provider: Provider,
  { resources, catalog, accountLookup }: ProviderParts,
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

/**
 * The scopes of a token for direct access (RFC 6749 4.4); by default all that the API key may use. `all` are all
 * products, also those of other resources.
 * @throws unauthorized_client, invalid_target, invalid_scope, and the errors of `findOwner`
 */
export async function directTokenScopes(
  resource: Resource,
  all: Catalog,
  key: Client,
  scope: string | undefined,
  findOwner: () => Promise<Account | undefined>,
): Promise<readonly string[]> {
  // One catalog for the whole request, because products may change while the host looks up the account.
  const catalog = resource.catalog.current
  const owner = whyNoOperation(all, key) ? undefined : await findOwner()
  if (!owner || whyUnauthorized(catalog, key, owner)) throw noAccess(resource, all, key, owner)
  const allowed = limitToOwner(key, owner, directScopes(catalog, key))
  const requested = requestedScopes(scope)
  requireAllowed(
    requested,
    (name) =>
      explainRejectionAt(resource, all, key, undefined, name) ??
      (allowed.includes(name) ? undefined : `the user of this API key may not use the operation ${name}`),
  )
  const scopes = requested.length > 0 ? requested : allowed
  requireUsableScope(scopes)
  return scopes
}

/** RFC 6749 4.4.3. `lifetime` is in seconds. */
export function directTokenResponse(accessToken: string, lifetime: number, scope: string) {
  return { access_token: accessToken, expires_in: lifetime, scope, token_type: 'Bearer' }
}
