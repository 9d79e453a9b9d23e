import { errors, interactionPolicy, type Configuration, type KoaContextWithOIDC } from 'oidc-provider'
import { answerError, errorFields } from '../../http/error-response.ts'
import { requireSomethingLeft, type DelegatedScopes } from './delegated-scopes.ts'
import type { ProviderDependencies } from './dependencies.ts'
import { createLoadExistingGrant } from './load-existing-grant.ts'
import { FAILED, isStoreUnavailable, UNAVAILABLE } from './errors.ts'
import type { FindAccounts } from './find-account.ts'
import type { SyncHostSession } from './sync-host-session.ts'
import type { MayIntrospect } from './introspection.ts'
import { signOutForm } from './logout.ts'
import { hintCheck, keepSubjectOfHint } from './id-token-hint.ts'
import { initialGrantLifetime } from './models/grants.ts'
import { findTooLong } from './parameter-limits.ts'
import type { ConsentStore } from '../../grants/consent-store.ts'
import { redirectUriError } from './redirect-uri-errors.ts'
import { ROUTES } from './routes.ts'
import { isComingBack, isTokenRequest } from './request-kind.ts'
import { NotNow, notRedirected } from './seam-errors.ts'
import { tokenClaims } from './token-claims.ts'

/** What the configuration leads to. */
export interface ConfiguredParts {
  readonly adapter: NonNullable<Configuration['adapter']>
  readonly delegatedScopes: DelegatedScopes
  readonly hostAccounts: FindAccounts
  readonly syncHostSession: SyncHostSession
  readonly consents: ConsentStore
  readonly mayIntrospect: MayIntrospect
}

/**
 * oidc-provider's configuration. Whatever has a default that we do not want, or that prints a notice when it
 * is left to it, is pinned here, with the reason where it is not plain.
 */
export function providerConfiguration(deps: ProviderDependencies, parts: ConfiguredParts): Configuration {
  const { settings, pages } = deps
  const { issuer, audience, lifetimes } = settings
  const { delegatedScopes, hostAccounts, syncHostSession, consents, mayIntrospect } = parts
  const path = new URL(issuer).pathname.replace(/\/$/, '')
  const { openIdScopes } = settings
  const policy = interactionPolicy.base()
  const signInChecks = policy.get('login')?.checks
  signInChecks?.remove('id_token_hint')
  signInChecks?.add(hintCheck)
  // After the sign-in: whoever has just signed in has chosen. The page is that of consent, which offers another account.
  policy.add(new interactionPolicy.Prompt({ name: 'select_account', requestable: true }), 1)
  const cookie = { httpOnly: true, sameSite: 'lax', signed: true } as const

  return {
    adapter: parts.adapter,
    jwks: { keys: [...deps.signingKeys] },
    routes: ROUTES,
    scopes: [...openIdScopes],
    claims: { openid: ['sub', 'account_id', 'user_id'], ...mutable(settings.claims) },
    subjectTypes: ['public'],
    findAccount: hostAccounts.findAccount,
    loadExistingGrant: createLoadExistingGrant({
      audience,
      openIdScopes,
      consents,
      checksBefore: ['login', 'select_account'].flatMap((name) => policy.get(name)?.checks ?? []),
    }),

    // Confidential clients with a code, and nothing else: no implicit or hybrid flow, no public clients, no
    // assertions (which could be signed with a stored hash), no sender-constrained tokens (a gateway that
    // takes Bearer tokens would wave them through), no pushed requests.
    responseTypes: ['code'],
    clientAuthMethods: ['client_secret_basic', 'client_secret_post'],
    enabledJWA: { idTokenSigningAlgValues: ['RS256'] },
    clientBasedCORS: () => false,
    pkce: { required: () => settings.requirePkce },
    allowOmittingSingleRegisteredRedirectUri: true,

    extraParams: {
      // Relies on: it is known as a mode that errors are sent in (`seam.ts`), and this one is sent by query as well.
      response_mode(_ctx: KoaContextWithOIDC, mode) {
        if (mode === 'fragment') throw new errors.UnsupportedResponseMode()
      },
      // Relies on: the parameters have been checked by now, and the account is loaded later.
      async scope(ctx: KoaContextWithOIDC, scope, client) {
        keepSubjectOfHint(ctx)
        requireShort(ctx)
        await syncHostSession(ctx)
        await delegatedScopes.checkRequestedScope(ctx, scope, client)
      },
    },
    // Relies on: of a code exchange it is the last hook before the code is used up. A refresh has used up its token
    // by now, and has been checked before.
    extraTokenClaims: async (ctx, token) => {
      // oidc-provider splits an empty scope into one empty name.
      requireSomethingLeft([...token.scopes].filter(Boolean))
      return tokenClaims(ctx, token)
    },

    // Each code exchange gives a refresh token, each refresh a new one, and none ends with the browser.
    issueRefreshToken: async () => true,
    rotateRefreshToken: (ctx) => delegatedScopes.beforeRefresh(ctx),
    expiresWithSession: async () => false,
    // One that is used a second time ends its grant by itself (`refresh-tokens.ts`), and in the right order.
    revokeGrantPolicy: () => !isTokenRequest(),

    ttl: {
      AccessToken: lifetimes.delegatedAccessToken,
      AuthorizationCode: lifetimes.authorizationCode,
      ClientCredentials: lifetimes.directAccessToken,
      Grant: initialGrantLifetime(lifetimes),
      IdToken: lifetimes.idToken,
      // One of nobody, which strangers can begin by the thousand, only as long as a sign-in takes.
      Interaction: (_ctx, { session }) =>
        session?.accountId === undefined
          ? Math.min(lifetimes.signIn, lifetimes.interaction)
          : lifetimes.interaction,
      RefreshToken: lifetimes.refreshToken,
      // One of nobody, which strangers can begin by the thousand, only as long as somebody may be in the middle
      // of something.
      Session: (_ctx, session) =>
        session.accountId === undefined ? lifetimes.interaction : lifetimes.session,
    },

    cookies: {
      keys: deps.cookieKeys as never,
      names: {
        session: 'gatehouse_session',
        interaction: 'gatehouse_interaction',
        resume: 'gatehouse_resume',
      },
      long: { ...cookie, path: path || '/' },
      // Their paths are those of the pages that need them; oidc-provider sets them.
      short: cookie,
    },
    // OpenID Connect Prompt Create 1.0 names the field; oidc-provider leaves it out.
    discovery: { prompt_values_supported: ['none', ...policy.map(({ name }) => name)] },
    interactions: {
      policy,
      url: (_ctx, interaction) => `${path}/interaction/${interaction.uid}`,
    },

    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      clientCredentials: { enabled: true },
      userinfo: { enabled: true },
      introspection: { enabled: true, allowedPolicy: mayIntrospect },
      // Of somebody else's token nothing is told and nothing happens, as of an unknown one (RFC 7009 2.2).
      revocation: {
        enabled: true,
        allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId,
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: async () => audience,
        useGrantedResource: async () => true,
        async getResourceServerInfo(ctx, resource, client) {
          // Relies on: of a request that comes back from the pages, no hook is awaited earlier, and the account
          // is loaded later.
          if (isComingBack(ctx)) await syncHostSession(ctx)
          return delegatedScopes.describeResource(ctx, resource, client)
        },
      },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: async (ctx) => {
          pages.renderSignOut(ctx, signOutForm(ctx))
        },
        postLogoutSuccessSource: async (ctx) => {
          pages.renderSignedOut(ctx)
        },
      },
    },

    async renderError(ctx, out, error) {
      if (error instanceof NotNow) ctx.set('Retry-After', String(error.retryAfter))
      const isForNow = isStoreUnavailable(error)
      const ours = isForNow ? UNAVAILABLE : FAILED
      // What else was thrown is not meant for readers.
      const answer = !isForNow && error instanceof errors.OIDCProviderError ? out : ours
      const written = {
        status: isForNow ? error.status : ctx.status,
        error: answer.error,
        description: redirectUriError(ctx, error) ?? answer.error_description ?? ours.error_description,
        state: out.state,
      }
      if (!FOR_PROGRAMS.has(ctx.oidc.route)) return answerError(ctx, pages, written)
      // An object, as where JSON is asked for: `answers.ts` works on both.
      ctx.status = Math.max(written.status, 400)
      ctx.set('Cache-Control', 'no-store')
      ctx.body = errorFields(written)
    },
  }
}

/**
 * Rejects parameters that are too long. A `state` that is too long is not sent back either: what comes with an error
 * must arrive, and it is not known who would take it.
 *
 * @throws invalid_request
 */
function requireShort({ oidc }: KoaContextWithOIDC): void {
  const tooLong = findTooLong(oidc.params ?? {})
  if (!tooLong) return
  const error = new errors.InvalidRequest(tooLong.description)
  throw tooLong.name === 'state' ? notRedirected(error) : error
}

/** Endpoints that only programs talk to: errors there are JSON, whatever is accepted (RFC 6749 5.2). */
const FOR_PROGRAMS: ReadonlySet<string> = new Set(['token', 'userinfo', 'revocation', 'introspection'])

function mutable(claims: { readonly [scope: string]: readonly string[] }): { [scope: string]: string[] } {
  return Object.fromEntries(Object.entries(claims).map(([scope, names]) => [scope, [...names]]))
}
