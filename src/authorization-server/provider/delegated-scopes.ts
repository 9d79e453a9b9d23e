import {
  errors,
  type Client as ProviderClient,
  type KoaContextWithOIDC,
  type ResourceServer,
} from 'oidc-provider'
import { applicationScopes, explainRejection } from '../../catalog/resolve-scopes.ts'
import type { Application } from '../../clients/client.ts'
import { recordOf } from './client-metadata.ts'
import type { ProviderSettings } from './dependencies.ts'
import type { CurrentCatalog } from '../../catalog/catalog.ts'
import type { AccountLookup } from './account-lookup.ts'
import { requestState } from './request-state.ts'
import { requireKnownResource, resourceServerOf } from './resource-indicator.ts'
import { invalidScope, isIgnoredScope, requestedScopes, requireAllowed } from './requested-scope.ts'

/** What delegated access decides about scopes, in the places where oidc-provider asks. */
export interface DelegatedScopes {
  /** Scopes that this application may ask users for now, besides those of OpenID Connect. */
  applicationScopes(ctx: KoaContextWithOIDC, client: ProviderClient): Promise<readonly string[]>
  /** Fills in or checks `scope` of an authorization request. */
  checkRequestedScope(
    ctx: KoaContextWithOIDC,
    scope: string | undefined,
    client: ProviderClient,
  ): Promise<void>
  /** What may be in a token for `resource` now. */
  describeResource(ctx: KoaContextWithOIDC, resource: string, client: ProviderClient): Promise<ResourceServer>
}

/** Makes the decisions of delegated access from the catalog, the registry's record and the developer's level. */
export function createDelegatedScopes(
  { audience, openIdScopes }: ProviderSettings,
  catalog: CurrentCatalog,
  accounts: AccountLookup,
): DelegatedScopes {
  async function developerLevel(
    ctx: KoaContextWithOIDC,
    application: Application,
  ): Promise<string | undefined> {
    const developer = await accounts.find(ctx, application)
    if (developer) return developer.kycLevel
    throw new errors.UnauthorizedClient('the account of this developer does not exist any more')
  }

  async function resolveScopes(
    ctx: KoaContextWithOIDC,
    application: Application,
  ): Promise<readonly string[]> {
    if (application.products.length === 0) {
      throw new errors.UnauthorizedClient('this application has no API product; add one to it first')
    }
    const level = await developerLevel(ctx, application)
    const { current } = catalog
    // Kept beside the scopes, because products may change before the token is signed.
    requestState(ctx).catalogEpoch = current.epoch
    return applicationScopes(current, application, level)
  }

  /** Once a request: what was checked before a token is used up is what the token then carries. */
  function scopesOf(ctx: KoaContextWithOIDC, client: ProviderClient): Promise<readonly string[]> {
    const state = requestState(ctx)
    state.applicationScopes ??= resolveScopes(ctx, requireApplication(client))
    return state.applicationScopes
  }

  async function fillIn(ctx: KoaContextWithOIDC, client: ProviderClient): Promise<void> {
    const all = await scopesOf(ctx, client)
    if (all.length === 0) {
      throw invalidScope('this application may not ask for any operation now')
    }
    Object.assign(ctx.oidc.params ?? {}, { scope: all.join(' ') })
  }

  return {
    applicationScopes: scopesOf,

    async checkRequestedScope(ctx, scope, client) {
      const application = requireApplication(client)
      const requested = requestedScopes(scope).filter((name) => !isIgnoredScope(name, openIdScopes))
      if (requested.length === 0) return fillIn(ctx, client)

      await scopesOf(ctx, client)
      const level = await developerLevel(ctx, application)
      const operations = requested.filter((name) => !openIdScopes.includes(name))
      requireAllowed(operations, (name) => explainRejection(catalog.current, application, level, name))
      Object.assign(ctx.oidc.params ?? {}, { scope: requested.join(' ') })
    },

    async describeResource(ctx, resource, client) {
      requireKnownResource(resource, audience)
      return resourceServerOf(audience, [...openIdScopes, ...(await scopesOf(ctx, client))].join(' '))
    },
  }
}

/**
 * Rejects to issue a token that may do nothing: an empty `scope` is not even a legal answer (RFC 6749 3.3).
 *
 * @throws invalid_scope
 */
export function requireSomethingLeft(scopes: readonly string[]): void {
  if (scopes.length > 0) return
  throw invalidScope(
    'nothing that the user authorized is open to this application now; check its products and its KYC level',
  )
}

function requireApplication(client: ProviderClient): Application {
  const record = recordOf(client)
  if (record.kind === 'application') return record
  throw new errors.UnauthorizedClient('an API key acts on its own account only; use an application here')
}
