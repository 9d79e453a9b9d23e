import type { Adapter, Provider } from 'oidc-provider'
import { createLimitGrants } from '../../grants/max-grants.ts'
import { createRevokeKeepingConsent } from '../../grants/revoke-grants.ts'
import { accessTokenSigner } from '../../keys/token-signers.ts'
import { createAccountLookup } from './account-lookup.ts'
import { providerConfiguration } from './configuration.ts'
import type { ProviderDependencies, ProviderParts } from './dependencies.ts'
import { registerRepeatableReturn } from './endpoints/authorize/repeat-return.ts'
import { registerEndSession } from './endpoints/end-session.ts'
import { createRevokeAccessToken, fixRevocationResponse } from './endpoints/revoke.ts'
import { completeTokenRequest, reportTokens, tokenOptions } from './endpoints/token.ts'
import { createDirectToken } from './endpoints/token/client-credentials-grant.ts'
import { createFixUserInfoResponse } from './endpoints/userinfo.ts'
import { createFixMetadata } from './endpoints/metadata.ts'
import { fixResponses } from './fix-responses.ts'
import { createExplainMissingSecret, reportWrongSecrets } from './client-authentication.ts'
import { accessTokens } from './models/access-tokens.ts'
import { modelAdapter } from './models/adapter.ts'
import { authorizationCodes, codeCollection } from './endpoints/token/authorization-code-grant.ts'
import { clients, whenAuthenticated } from './models/clients.ts'
import { grants } from './models/grants.ts'
import { interactions } from './models/interactions.ts'
import { createRefresh } from './endpoints/token/refresh-token-grant.ts'
import { registerGrants, type TokenAnswers } from './endpoints/token/token-request.ts'
import { refreshTokens } from './models/refresh-tokens.ts'
import { sessions } from './models/sessions.ts'
import { createAnswerHere, reportFailures } from './render-errors.ts'
import { signAccessTokens } from './seam/tokens.ts'
import { applySeam, ScriptlessProvider } from './seam/seam.ts'

export type { Provider } from 'oidc-provider'

export interface BuiltProvider {
  readonly provider: Provider
  /** What oidc-provider also calls, for the fast path. */
  readonly answers: TokenAnswers
}

/**
 * Builds the OAuth 2.0 and OpenID Connect server with oidc-provider, in about a millisecond. A new server
 * replaces the old one after each change of the signing keys. It keeps no data that its successor needs.
 */
export function buildProvider(deps: ProviderDependencies): BuiltProvider {
  const { settings, grantLifecycle, features } = deps
  const revokeGrant = createRevokeKeepingConsent({ ...deps, lifecycle: grantLifecycle })
  const parts: ProviderParts = {
    ...deps,
    accountLookup: createAccountLookup(deps.accounts, settings),
    codes: codeCollection(deps.store),
    revokeGrant,
    limitGrants: createLimitGrants({ ...deps, ...grantLifecycle.index, revokeGrant }),
  }
  const models = createModels(parts)
  const adapter = (model: string) => models[model] ?? modelAdapter(model, {})
  const authenticated = whenAuthenticated(parts, (ctx, client) => completeTokenRequest(parts, ctx, client))
  const provider = new ScriptlessProvider(
    settings.issuer,
    providerConfiguration(parts, adapter, authenticated),
  )
  provider.answerHere = createAnswerHere(parts)
  applySeam(provider, Object.keys(models), parts, authenticated)
  const { extraTokenClaims } = tokenOptions()
  signAccessTokens(provider, extraTokenClaims, accessTokenSigner(deps.signingKeys).signHere)
  const answers = { client_credentials: createDirectToken(parts), refresh_token: createRefresh(parts) }
  registerGrants(provider, answers)
  const explainMissingSecret = createExplainMissingSecret(settings)
  fixResponses(provider, {
    token: explainMissingSecret,
    revocation(ctx) {
      fixRevocationResponse(ctx)
      return explainMissingSecret(ctx)
    },
    introspection: explainMissingSecret,
    userinfo: createFixUserInfoResponse(features.cors),
    discovery: createFixMetadata(parts),
  })
  registerRepeatableReturn(provider, parts)
  registerEndSession(provider, parts)
  reportTokens(provider, parts)
  reportWrongSecrets(provider, parts)
  reportFailures(provider, parts)
  return { provider, answers }
}

/** A model that is not listed here belongs to a disabled feature, so every method of its adapter throws. */
function createModels(parts: ProviderParts): Readonly<Record<string, Adapter>> {
  const revokeAccessToken = createRevokeAccessToken(parts.revokeOwnToken)
  return {
    Client: clients(parts),
    AccessToken: accessTokens('AccessToken', parts, revokeAccessToken),
    ClientCredentials: accessTokens('ClientCredentials', parts, revokeAccessToken),
    AuthorizationCode: authorizationCodes(parts),
    RefreshToken: refreshTokens(parts),
    Grant: grants(parts),
    Session: sessions(parts),
    Interaction: interactions(parts),
    ...(parts.features.privateKeyJwt && {
      ReplayDetection: parts.features.privateKeyJwt.noMemory,
    }),
  }
}
