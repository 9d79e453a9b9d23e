import {
  errors,
  type Client as ProviderClient,
  type KoaContextWithOIDC,
  type ResourceServer,
} from 'oidc-provider'
import { applicationScopes, explainRejection, limitToPerson } from '../../catalog/resolve-scopes.ts'
import type { Application } from '../../clients/client.ts'
import { whyUnauthorized } from '../../clients/why-no-token.ts'
import { personOf } from '../../host/subject.ts'
import { recordOf, requestState } from './request-state.ts'
import type { ProviderParts } from './dependencies.ts'
import { requireKnownResource, resourceServerOf } from './resource-indicator.ts'
import { invalidScope, isIgnoredScope, requestedScopes, requireAllowed } from './requested-scope.ts'
import { unauthorized } from './unauthorized-client.ts'

// This file decides which scopes an application may have. These scopes depend on the catalog, the
// application's products, the KYC level of the application's developer, and the operations of the user.

type Parts = Pick<ProviderParts, 'settings' | 'catalog' | 'accountLookup' | 'isGrantScopeRevoked'>

/**
 * The scopes that a token of this application may carry now, besides the scopes of OpenID Connect. The scopes
 * and the account are looked up once per request. So in a refresh, the access token carries exactly the scopes
 * that were checked before the refresh token was used up.
 *
 * Relies on: oidc-provider sets the account and the grant before it resolves the scopes of a token. In an
 * authorization request, oidc-provider resolves the scopes before the account is known, and `limitToUser`
 * limits them later.
 */
export async function getTokenScopes(
  parts: Parts,
  ctx: KoaContextWithOIDC,
  client: ProviderClient,
): Promise<readonly string[]> {
  const scopes = await getApplicationScopes(parts, ctx, client)
  const { Account: account, Grant: grant } = ctx.oidc.entities
  const person = account && (await parts.accountLookup.find(ctx, personOf(account.accountId)))
  if (!person) return scopes
  const now = Date.now() / 1000
  return limitToPerson(person, scopes).filter(
    (scope) => grant === undefined || !parts.isGrantScopeRevoked(grant.jti, scope, now),
  )
}

/**
 * Limits an authorization request to the operations of the user, before oidc-provider checks whether the user
 * has approved every requested scope. Call it when the user is known.
 *
 * @returns the requested scopes that remain
 * @throws invalid_scope if no scope remains
 */
export async function limitToUser(
  parts: Parts,
  ctx: KoaContextWithOIDC,
  client: ProviderClient,
): Promise<readonly string[]> {
  const { audience } = parts.settings
  const info = await describeResource(parts, ctx, audience, client)
  const limited = new ctx.oidc.provider.ResourceServer(audience, info)
  Object.assign(ctx.oidc.resourceServers ?? {}, { [audience]: limited })
  const remaining = new Set(info.scope.split(' '))
  const requested = [...ctx.oidc.requestParamScopes].filter((scope) => remaining.has(scope))
  if (requested.length > 0) return requested
  throw invalidScope('this user may use none of the requested operations now')
}

/** The scopes that this application may ask users for now, besides the scopes of OpenID Connect. */
function getApplicationScopes(
  parts: Parts,
  ctx: KoaContextWithOIDC,
  client: ProviderClient,
): Promise<readonly string[]> {
  const state = requestState(ctx)
  state.applicationScopes ??= resolveScopes(parts, ctx, requireApplication(client))
  return state.applicationScopes
}

async function resolveScopes(
  parts: Parts,
  ctx: KoaContextWithOIDC,
  application: Application,
): Promise<readonly string[]> {
  const { current } = parts.catalog
  const developer = await parts.accountLookup.find(ctx, application)
  const reason = whyUnauthorized(current, application, developer)
  if (reason) throw unauthorized(application, reason)
  // The token must carry the epoch of the catalog from which its scopes were resolved. The epoch is kept until the
  // token is signed, because products may change in between.
  requestState(ctx).catalogEpoch = current.epoch
  return applicationScopes(current, application, developer?.kycLevel)
}

/**
 * Checks `scope` of an authorization request, and removes ignored scopes (`isIgnoredScope`) from it. If no
 * scope is left, all scopes that the application may request are filled in.
 */
export async function checkRequestedScope(
  parts: Parts,
  ctx: KoaContextWithOIDC,
  scope: string | undefined,
  client: ProviderClient,
): Promise<void> {
  const { openIdScopes } = parts.settings
  const application = requireApplication(client)
  const requested = requestedScopes(scope).filter((name) => !isIgnoredScope(name, openIdScopes))
  const allowed = await getApplicationScopes(parts, ctx, client)
  const level = (await parts.accountLookup.find(ctx, application))?.kycLevel
  const operations = requested.filter((name) => !openIdScopes.includes(name))
  requireAllowed(operations, (name) => explainRejection(parts.catalog.current, application, level, name))
  Object.assign(ctx.oidc.params ?? {}, { scope: (requested.length > 0 ? requested : allowed).join(' ') })
}

/**
 * Describes `resource` to oidc-provider, with the scopes that a token may carry now. If the request has already found
 * the account of the user, the scopes are limited to the operations of this user.
 */
export async function describeResource(
  parts: Parts,
  ctx: KoaContextWithOIDC,
  resource: string,
  client: ProviderClient,
): Promise<ResourceServer> {
  const { audience, openIdScopes } = parts.settings
  requireKnownResource(resource, audience)
  const scopes = [...openIdScopes, ...(await getTokenScopes(parts, ctx, client))]
  return resourceServerOf(audience, scopes.join(' '))
}

/**
 * Rejects a token that would carry no scope, because an empty `scope` is not valid in a response (RFC 6749
 * 3.3).
 *
 * @throws invalid_scope if `scopes` is empty
 */
export function requireSomethingLeft(scopes: readonly string[]): void {
  if (scopes.length > 0) return
  throw invalidScope(
    'none of the authorized scopes is available to this application now; check its products, the KYC level of its developer, and the operations that the host allows this user',
  )
}

function requireApplication(client: ProviderClient): Application {
  const record = recordOf(client)
  if (record.kind === 'application') return record
  throw new errors.UnauthorizedClient('an API key acts on its own account only; use an application here')
}
