import type { Adapter, Provider } from 'oidc-provider'
import { registerAnswers } from './answers.ts'
import { providerConfiguration } from './configuration.ts'
import { createDelegatedAccess } from './delegated-access.ts'
import type { ProviderDependencies } from './dependencies.ts'
import { registerDirectAccess } from './direct-access.ts'
import { createEndGrant } from './end-grant.ts'
import { createHostAccounts } from './host-accounts.ts'
import { createBringIntoStep } from './host-session.ts'
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
import type { RememberedConsents } from './remembered-consents.ts'
import { registerReporting } from './reporting.ts'
import { applySeam, ScriptlessProvider } from './seam.ts'

/** The authorization server, and what its neighbours share with it. */
export interface BuiltProvider {
  readonly provider: Provider
  readonly consents: RememberedConsents
}

/**
 * Builds the OAuth 2.0 and OpenID Connect server out of oidc-provider. It is cheap (about a millisecond) and
 * has no state of its own.
 */
export function buildProvider(deps: ProviderDependencies): BuiltProvider {
  const { settings } = deps
  const grants = createGrants(deps.grantLives)
  const hostAccounts = createHostAccounts(deps.accounts)
  const delegatedAccess = createDelegatedAccess(deps, hostAccounts, grants)
  const { consents } = deps

  const provider = new ScriptlessProvider(
    settings.issuer,
    providerConfiguration(deps, {
      adapter: createAdapterFactory(deps, grants),
      delegatedAccess,
      hostAccounts,
      bringIntoStep: createBringIntoStep(deps.accounts, hostAccounts),
      consents,
      mayIntrospect: createMayIntrospect(deps.registry, hostAccounts),
    }),
  )
  applySeam(provider, { ...deps, openIdScopes: settings.openIdScopes })
  registerDirectAccess(provider, deps, hostAccounts)
  registerAnswers(provider, () => [...settings.openIdScopes, ...deps.catalog.current.operations.keys()])
  registerLogout(provider, deps)
  registerReporting(provider, deps)
  return { provider, consents }
}

/** Where each of oidc-provider's models is kept; the ones left out belong to features that are off. */
function createAdapterFactory(deps: ProviderDependencies, grants: Grants): (model: string) => Adapter {
  const codes = createAuthorizationCodes(deps.store)
  const endGrant = createEndGrant({ ...deps, grants })
  const limitGrants = createLimitGrants({ ...deps, index: deps.grantLives.index, endGrant })
  const refreshTokens = createRefreshTokens({ ...deps, grants, endGrant, limitGrants })
  const adapters: Readonly<Record<string, Adapter>> = {
    Client: clients(deps.registry, (ctx) => {
      codes.lookAhead(ctx)
      refreshTokens.lookAhead(ctx)
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
