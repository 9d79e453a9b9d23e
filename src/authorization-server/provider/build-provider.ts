import type { Adapter, Provider } from 'oidc-provider'
import { fixResponses } from './fix-responses.ts'
import { providerConfiguration } from './configuration.ts'
import { createDelegatedScopes } from './delegated-scopes.ts'
import type { ProviderDependencies } from './dependencies.ts'
import { registerClientCredentialsGrant } from './client-credentials-grant.ts'
import { createRevokeGrant } from './revoke-grant.ts'
import { createHostAccounts } from './find-account.ts'
import { createSyncHostSession } from './sync-host-session.ts'
import { createMayIntrospect } from './introspection.ts'
import { createLimitGrants } from './limit-grants.ts'
import { registerLogout } from './logout.ts'
import { accessTokens } from './models/access-tokens.ts'
import { modelAdapter } from './models/adapter.ts'
import { createAuthorizationCodes } from './models/authorization-codes.ts'
import { clients } from './models/clients.ts'
import { createGrants, type Grants } from './models/grants.ts'
import { interactions } from './models/interactions.ts'
import { createRefreshTokens } from './models/refresh-tokens.ts'
import { sessions } from './models/sessions.ts'
import type { ConsentStore } from '../../grants/consent-store.ts'
import { registerEvents } from './events.ts'
import { applySeam, ScriptlessProvider } from './seam.ts'

/** The authorization server, and the parts of it that other modules use. */
export interface BuiltProvider {
  readonly provider: Provider
  readonly consents: ConsentStore
}

/**
 * Builds the OAuth 2.0 and OpenID Connect server with oidc-provider. Building takes about a millisecond; the result
 * has no state of its own.
 */
export function buildProvider(deps: ProviderDependencies): BuiltProvider {
  const { settings } = deps
  const grants = createGrants(deps.grantLifecycle)
  const hostAccounts = createHostAccounts(deps.accounts)
  const delegatedScopes = createDelegatedScopes(deps, hostAccounts, grants)
  const { consents } = deps

  const provider = new ScriptlessProvider(
    settings.issuer,
    providerConfiguration(deps, {
      adapter: createAdapterFactory(deps, grants),
      delegatedScopes,
      hostAccounts,
      syncHostSession: createSyncHostSession(deps.accounts, hostAccounts),
      consents,
      mayIntrospect: createMayIntrospect(deps.registry, hostAccounts),
    }),
  )
  applySeam(provider, { ...deps, openIdScopes: settings.openIdScopes })
  registerClientCredentialsGrant(provider, deps, hostAccounts)
  fixResponses(provider, () => [...settings.openIdScopes, ...deps.catalog.current.operations.keys()])
  registerLogout(provider, deps)
  registerEvents(provider, deps)
  return { provider, consents }
}

/** The storage of each of oidc-provider's models. The models left out belong to disabled features. */
function createAdapterFactory(deps: ProviderDependencies, grants: Grants): (model: string) => Adapter {
  const codes = createAuthorizationCodes(deps.store)
  const revokeGrant = createRevokeGrant({ ...deps, grants })
  const limitGrants = createLimitGrants({ ...deps, index: deps.grantLifecycle.index, revokeGrant })
  const refreshTokens = createRefreshTokens({ ...deps, grants, revokeGrant, limitGrants })
  const adapters: Readonly<Record<string, Adapter>> = {
    Client: clients(deps.registry, (ctx) => {
      codes.prefetch(ctx)
      refreshTokens.prefetch(ctx)
    }),
    AccessToken: accessTokens('AccessToken', deps),
    ClientCredentials: accessTokens('ClientCredentials', deps),
    AuthorizationCode: codes.adapter,
    RefreshToken: refreshTokens.adapter,
    Grant: grants.adapter,
    Session: sessions(deps.store),
    Interaction: interactions(deps.store, { ...deps, issuer: deps.settings.issuer }),
  }
  return (model) => adapters[model] ?? modelAdapter(model, {})
}
