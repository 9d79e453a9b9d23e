import type { Configuration } from 'oidc-provider'
import { OPENID_CLAIMS } from './claims.ts'
import type { ProviderParts } from './dependencies.ts'
import { authorizationOptions, resourceIndicators } from './endpoints/authorize.ts'
import { endSession } from './endpoints/end-session.ts'
import { mayIntrospect } from './endpoints/introspect.ts'
import { revocation } from './endpoints/revoke.ts'
import { tokenOptions } from './endpoints/token.ts'
import { modelLifetimes } from './lifetimes.ts'
import { recordOf } from './request-state.ts'
import { createRenderError } from './render-errors.ts'
import type { ClientAuthenticated } from './models/clients.ts'
import { ROUTES } from './routes.ts'

/** oidc-provider's configuration: client authentication, names and flags of cookies, features that are off (DPoP, PAR). */
export function providerConfiguration(
  parts: ProviderParts,
  adapter: NonNullable<Configuration['adapter']>,
  authenticated: ClientAuthenticated,
): Configuration {
  const { settings, accountLookup, pages } = parts
  const { cors, privateKeyJwt } = parts.features
  return {
    ...authorizationOptions(parts),
    ...tokenOptions(),
    adapter,
    jwks: { keys: [...parts.signingKeys] },
    routes: ROUTES,
    scopes: [...settings.openIdScopes],
    claims: {
      openid: OPENID_CLAIMS,
      ...(structuredClone(settings.claims) as { [scope: string]: string[] }),
    },
    conformIdTokenClaims: !settings.claimsInIdToken,
    subjectTypes: ['public'],
    findAccount: accountLookup.findAccount,
    // Clients do not sign assertions with their secret (`client_secret_jwt`), because we store only hashes of secrets.
    // The stored hash would be the signing key, so a stolen hash would be enough to authenticate.
    clientAuthMethods: [
      'client_secret_basic',
      'client_secret_post',
      ...(privateKeyJwt ? ['private_key_jwt' as const] : []),
      ...(settings.publicClients ? ['none' as const] : []),
    ],
    enabledJWA: {
      idTokenSigningAlgValues: ['RS256'],
      ...(privateKeyJwt && { clientAuthSigningAlgValues: [...privateKeyJwt.ASSERTION_ALGORITHMS] }),
    },
    ...(privateKeyJwt && {
      assertJwtClientAuthClaimsAndHeader: privateKeyJwt.createAssertionCheck(
        { issuer: settings.issuer, store: parts.durable },
        authenticated,
      ),
    }),
    // Browsers may request user info, because it needs no client secret. `fixResponses` removes the CORS headers. At
    // the other endpoints, `routing/check-request.ts` decides about pages at other origins.
    clientBasedCORS: ({ oidc }, origin, client) =>
      oidc.route === 'userinfo' && (cors?.mayUseToken(origin, recordOf(client)) ?? true),
    ttl: modelLifetimes(settings.lifetimes),
    cookies: cookies(parts),
    features: {
      devInteractions: { enabled: false },
      // A gateway would accept sender-constrained tokens as Bearer tokens from any sender.
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      clientCredentials: { enabled: true },
      userinfo: { enabled: true },
      introspection: {
        enabled: true,
        allowedPolicy: (ctx, client, token) => mayIntrospect(parts, ctx, client, token),
      },
      revocation,
      resourceIndicators: resourceIndicators(parts),
      rpInitiatedLogout: endSession(pages),
    },
    renderError: createRenderError(pages),
  }
}

function cookies({ cookieKeys, settings }: ProviderParts): Configuration['cookies'] {
  const cookie = { httpOnly: true, sameSite: 'lax', signed: true } as const
  return {
    keys: cookieKeys as never,
    names: {
      session: 'gatehouse_session',
      interaction: 'gatehouse_interaction',
      resume: 'gatehouse_resume',
    },
    long: { ...cookie, path: new URL(settings.issuer).pathname.replace(/\/$/, '') || '/' },
    // oidc-provider sets the path of each short-lived cookie to the page that needs it.
    short: cookie,
  }
}
