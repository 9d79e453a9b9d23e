import type { Adapter, Provider } from 'oidc-provider'
import type { ConsentStore } from '../../grants/consent-store.ts'
import { createAccountLookup } from './account-lookup.ts'
import { providerConfiguration } from './configuration.ts'
import { createDelegatedScopes } from './delegated-scopes.ts'
import type { ProviderDependencies } from './dependencies.ts'
import { registerEndSession } from './endpoints/end-session.ts'
import { createRevokeAccessToken, fixRevocationResponse } from './endpoints/revoke.ts'
import {
  completeTokenRequest,
  fixTokenResponse,
  reportTokens,
  type DelegatedGrants,
} from './endpoints/token.ts'
import { registerClientCredentialsGrant } from './endpoints/token/client-credentials-grant.ts'
import { createLimitGrants } from './endpoints/token/limit-grants.ts'
import { createReuseDetection } from './endpoints/token/reuse.ts'
import { fixUserInfoResponse } from './endpoints/userinfo.ts'
import { createFixMetadata } from './endpoints/well-known.ts'
import { fixResponses } from './fix-responses.ts'
import { explainMissingSecret } from './missing-secret.ts'
import { accessTokens } from './models/access-tokens.ts'
import { modelAdapter } from './models/adapter.ts'
import { authorizationCodes, codeCollection } from './models/authorization-codes.ts'
import { clients } from './models/clients.ts'
import { grants } from './models/grants.ts'
import { interactions } from './models/interactions.ts'
import { refreshTokens } from './models/refresh-tokens.ts'
import { sessions } from './models/sessions.ts'
import { reportFailures } from './render-errors.ts'
import { createRequestReads } from './request-reads.ts'
import { createRevokeGrant } from './revoke-grant.ts'
import { applySeam, ScriptlessProvider } from './seam/seam.ts'

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
  const { settings, catalog, consents, events, families, grantLifecycle, logger, registry } = deps
  const { refreshTokenFormat, revocations, store } = deps
  const accountLookup = createAccountLookup(deps.accounts)
  const delegatedScopes = createDelegatedScopes(settings, catalog, accountLookup)

  const codes = codeCollection(store)
  const reads = createRequestReads({ codes, families, refreshTokenFormat, grants: grantLifecycle.records })
  const revokeGrant = createRevokeGrant({ grantLifecycle, families, revocations })
  const reuse = createReuseDetection({ families, revokeGrant, events })
  const limitGrants = createLimitGrants({ index: grantLifecycle.index, revokeGrant, events, logger })
  const { clientUsed } = deps
  const delegatedGrants: DelegatedGrants = {
    refreshToken: {
      settings,
      families,
      grantLifecycle,
      events,
      clientUsed,
      reads,
      delegatedScopes,
      reuse,
    },
    authorizationCode: { families, grantLifecycle, clientUsed, reads, reuse, limitGrants },
  }
  const { verifyAccessToken, isTokenRevoked } = deps
  const tokens = {
    verifyAccessToken,
    isTokenRevoked,
    revokeAccessToken: createRevokeAccessToken(revocations),
  }

  /** oidc-provider's models. The others belong to disabled features. */
  const models: Readonly<Record<string, Adapter>> = {
    Client: clients(registry, reads),
    AccessToken: accessTokens('AccessToken', tokens),
    ClientCredentials: accessTokens('ClientCredentials', tokens),
    AuthorizationCode: authorizationCodes(codes, reads),
    RefreshToken: refreshTokens(delegatedGrants, revokeGrant),
    Grant: grants(grantLifecycle, reads),
    Session: sessions(store),
    Interaction: interactions(store, { issuer: settings.issuer, authorizeRequest: deps.authorizeRequest }),
  }

  const provider = new ScriptlessProvider(
    settings.issuer,
    providerConfiguration(deps, {
      adapter: (model) => models[model] ?? modelAdapter(model, {}),
      accountLookup,
      delegatedScopes,
      grants: delegatedGrants,
    }),
  )
  applySeam(provider, {
    registry,
    refreshTokenFormat,
    clientAuthenticated: (ctx, client) => completeTokenRequest(delegatedGrants, ctx, client),
  })
  registerClientCredentialsGrant(provider, { settings, catalog }, accountLookup)
  fixResponses(provider, {
    token: fixTokenResponse,
    revocation: fixRevocationResponse,
    introspection: explainMissingSecret,
    userinfo: fixUserInfoResponse,
    discovery: createFixMetadata(() => [...settings.openIdScopes, ...catalog.current.operations.keys()]),
  })
  registerEndSession(provider, { settings, accounts: deps.accounts, pages: deps.pages })
  reportTokens(provider, { events, logger, clientUsed })
  reportFailures(provider, { events, logger })
  return { provider, consents }
}
