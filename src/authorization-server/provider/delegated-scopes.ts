import {
  errors,
  type Client as ProviderClient,
  type KoaContextWithOIDC,
  type ResourceServer,
} from 'oidc-provider'
import { applicationScopes, limitToPerson } from '../../catalog/resolve-scopes.ts'
import type { Resource } from '../../catalog/resources.ts'
import type { Application, Client } from '../../clients/client.ts'
import { developerOf } from '../../clients/documents/document-application.ts'
import { whyUnauthorized } from '../../clients/why-no-token.ts'
import type { Account } from '../../host/accounts.ts'
import { personOf } from '../../host/subject.ts'
import { recordOf, requestState } from './request-state.ts'
import type { ProviderParts } from './dependencies.ts'
import { explainRejectionAt, noAccess } from './resource-access.ts'
import { namedResource, resourceServerOf } from './resource-indicator.ts'
import { invalidScope, isIgnoredScope, requestedScopes, requireAllowed } from './requested-scope.ts'

/**
 * The scopes that a token of this application may carry now, besides those of OpenID Connect. All tokens of a
 * request are for one resource, so they are looked up once.
 *
 * Relies on: oidc-provider sets the account and the grant before it resolves the scopes of a token. In an authorization
 * request, it resolves the scopes before the account is known, and `limitToUser` limits them later.
 */
async function getTokenScopes(
  parts: ProviderParts,
  ctx: KoaContextWithOIDC,
  client: ProviderClient,
  resource: Resource,
): Promise<readonly string[]> {
  const scopes = await getApplicationScopes(parts, ctx, client, resource)
  const { Account: account, Grant: grant } = ctx.oidc.entities
  const person = account && (await parts.accountLookup.find(ctx, personOf(account.accountId)))
  if (!person) return scopes
  return grant ? limitToGrant(parts, person, grant.jti, scopes) : limitToPerson(person, scopes)
}

/** Limits the scopes of an application to what this person may do, and to what of the grant is not revoked. */
export function limitToGrant(
  { isGrantScopeRevoked }: ProviderParts,
  person: Account,
  grantId: string,
  scopes: readonly string[],
): readonly string[] {
  const now = Date.now() / 1000
  return limitToPerson(person, scopes).filter((scope) => !isGrantScopeRevoked(grantId, scope, now))
}

/**
 * Limits an authorization request to the operations of the user, before oidc-provider checks whether the user has
 * approved every requested scope.
 * @throws invalid_scope if no scope remains
 */
export async function limitToUser(parts: ProviderParts, ctx: KoaContextWithOIDC, client: ProviderClient) {
  const { address } = resourceOfRequest(parts, ctx)
  const info = await describeResource(parts, ctx, address, client)
  const limited = new ctx.oidc.provider.ResourceServer(address, info)
  Object.assign(ctx.oidc.resourceServers ?? {}, { [address]: limited })
  const remaining = new Set(info.scope.split(' '))
  const requested = [...ctx.oidc.requestParamScopes].filter((scope) => remaining.has(scope))
  if (requested.length > 0) return requested
  throw invalidScope('this user may use none of the requested operations now')
}

/** @throws invalid_target */
export function resourceOfRequest({ resources }: ProviderParts, ctx: KoaContextWithOIDC): Resource {
  return namedResource(ctx.oidc.params?.['resource'], resources)
}

function getApplicationScopes(
  parts: ProviderParts,
  ctx: KoaContextWithOIDC,
  client: ProviderClient,
  resource: Resource,
): Promise<readonly string[]> {
  const state = requestState(ctx)
  const find = (owner: Client) => parts.accountLookup.find(ctx, owner)
  state.applicationScopes ??= resolveScopes(parts, requireApplication(recordOf(client)), resource, find).then(
    ({ scopes, catalogEpoch }) => {
      state.catalogEpoch = catalogEpoch
      return scopes
    },
  )
  return state.applicationScopes
}

/**
 * What an application may request of its users now. Products may change until the token is signed, which must carry the
 * epoch of its scopes.
 * @throws unauthorized_client, invalid_target, and the errors of `find`
 */
export async function resolveScopes(
  { catalog }: ProviderParts,
  application: Application,
  resource: Resource,
  find: (owner: Client) => Promise<Account | undefined>,
) {
  const { current } = resource.catalog
  const developer = await developerOf(application, find)
  if (whyUnauthorized(current, application, developer)) {
    throw noAccess(resource, catalog.current, application, developer)
  }
  return {
    scopes: applicationScopes(current, application, developer?.kycLevel),
    catalogEpoch: current.epoch,
  }
}

/** Checks `scope` of an authorization request by products and KYC level. If none is left, all allowed are filled in. */
export async function checkRequestedScope(
  parts: ProviderParts,
  ctx: KoaContextWithOIDC,
  scope: string | undefined,
  client: ProviderClient,
): Promise<void> {
  const { openIdScopes } = parts.settings
  const application = requireApplication(recordOf(client))
  const resource = resourceOfRequest(parts, ctx)
  const requested = requestedScopes(scope).filter((name) => !isIgnoredScope(name, openIdScopes))
  const allowed = await getApplicationScopes(parts, ctx, client, resource)
  const developer = await developerOf(application, (owner) => parts.accountLookup.find(ctx, owner))
  const operations = requested.filter((name) => !openIdScopes.includes(name))
  const { current: all } = parts.catalog
  requireAllowed(operations, (name) =>
    explainRejectionAt(resource, all, application, developer?.kycLevel, name),
  )
  Object.assign(ctx.oidc.params ?? {}, {
    scope: (requested.length > 0 ? requested : allowed).join(' '),
    resource: resource.address,
  })
}

/** Describes a resource to oidc-provider, with the scopes that a token may carry now. @throws invalid_target */
export async function describeResource(
  parts: ProviderParts,
  ctx: KoaContextWithOIDC,
  address: string,
  client: ProviderClient,
): Promise<ResourceServer> {
  const resource = namedResource(ctx.oidc.params?.['resource'], parts.resources, address)
  const { openIdScopes } = parts.settings
  const scopes = [...openIdScopes, ...(await getTokenScopes(parts, ctx, client, resource))]
  return resourceServerOf(resource, scopes.join(' '))
}

export function requireApplication(client: Client): Application {
  if (client.kind === 'application') return client
  throw new errors.UnauthorizedClient('an API key acts on its own account only; use an application here')
}
