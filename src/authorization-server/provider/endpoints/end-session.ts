import type { Next } from 'koa'
import type { Configuration, KoaContextWithOIDC, Provider } from 'oidc-provider'
import { appendQuery, redirect } from '../../../http/redirect.ts'
import { answerError } from '../../../http/error-response.ts'
import { originOf } from '../../interaction/present-parties.ts'
import type { ProviderDependencies } from '../dependencies.ts'
import { INTERACTION_SECONDS } from '../lifetimes.ts'
import { requestState } from '../request-state.ts'
import { normalizePath, ROUTES } from '../routes.ts'
import { signOutSecret } from '../seam/sessions.ts'
import { findTooLong } from './authorize/parameter-limits.ts'

// OpenID Connect RP-Initiated Logout 1.0.

/** RP-Initiated Logout 1.0, 2. */
export const END_SESSION_PARAMETERS: readonly string[] = [
  'client_id',
  'id_token_hint',
  'logout_hint',
  'post_logout_redirect_uri',
  'state',
  'ui_locales',
]

export function endSession(
  pages: ProviderDependencies['pages'],
): NonNullable<NonNullable<Configuration['features']>['rpInitiatedLogout']> {
  return {
    enabled: true,
    logoutSource: async (ctx) => pages.renderSignOut(ctx, signOutForm(ctx)),
    postLogoutSuccessSource: async (ctx) => pages.renderEnd(ctx, 'signedOut'),
  }
}

/**
 * Rejects a `state` that is too long, answers sign-out requests without a session, and signs the person out
 * at the host after they have confirmed the sign-out. oidc-provider does none of these.
 */
export function registerEndSession(provider: Provider, deps: ProviderDependencies): void {
  provider.use(async function endSession(context: unknown, next: Next) {
    const ctx = context as KoaContextWithOIDC
    if (rejectLongState(ctx, deps.pages)) return
    await next()
    const oidc = (context as { oidc?: KoaContextWithOIDC['oidc'] }).oidc
    if (oidc?.route === 'end_session' && ctx.status === 200 && oidc.session?.accountId === undefined) {
      await answerWithoutSession(deps, ctx)
    }
    if (oidc?.route === 'end_session_confirm' && ctx.status === 303) {
      keepBytes(ctx)
      if (oidc.params?.['logout']) await deps.accounts.signOut?.(requestState(ctx).host)
    }
  })
}

/** Only `state` is checked, because it is the only parameter that oidc-provider stores unchanged. */
function rejectLongState(ctx: KoaContextWithOIDC, pages: ProviderDependencies['pages']): boolean {
  if (normalizePath(ctx.path) !== ROUTES.end_session) return false
  const tooLong = findTooLong({ state: ctx.query['state'] })
  if (!tooLong) return false
  answerError(ctx, pages, { status: 400, error: 'invalid_request', description: tooLong.description })
  return true
}

/** oidc-provider's page needs a script. The person is asked only if they are signed in at the host. */
async function answerWithoutSession({ accounts, pages }: ProviderDependencies, ctx: KoaContextWithOIDC) {
  const { session, params } = ctx.oidc
  if (accounts.signOut && (await accounts.current?.(requestState(ctx).host))) {
    // Only a browser that gets the form needs a stored session.
    await session?.save(INTERACTION_SECONDS)
    return pages.renderSignOut(ctx, signOutForm(ctx))
  }
  const redirectUri = params?.['post_logout_redirect_uri']
  if (typeof redirectUri !== 'string') return pages.renderEnd(ctx, 'signedOut')
  // oidc-provider has already checked this address.
  const state = params?.['state']
  redirect(ctx, typeof state === 'string' ? appendQuery(redirectUri, { state }) : redirectUri)
}

/** Relies on: oidc-provider adds `state` to the registered address, and thereby writes the query again. */
function keepBytes(ctx: KoaContextWithOIDC): void {
  const location = ctx.response.get('Location')
  const state = URL.parse(location)?.searchParams.get('state')
  if (state === undefined || state === null) return
  const uri = ctx.oidc.client?.postLogoutRedirectUris?.find((registered) => {
    const url = new URL(registered)
    url.searchParams.set('state', state)
    return url.href === location
  })
  if (uri !== undefined) redirect(ctx, appendQuery(uri, { state }))
}

function signOutForm(ctx: KoaContextWithOIDC) {
  const { provider, params } = ctx.oidc
  const redirectUri = params?.['post_logout_redirect_uri']
  return {
    action: provider.urlFor('end_session_confirm'),
    xsrf: signOutSecret(ctx),
    redirectOrigin: typeof redirectUri === 'string' ? originOf(redirectUri) : undefined,
  }
}
