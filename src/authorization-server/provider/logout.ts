import type { Next } from 'koa'
import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import { answerError } from '../../http/error-response.ts'
import type { ProviderDependencies } from './dependencies.ts'
import { findTooLong } from './parameter-limits.ts'
import { requestState } from './request-state.ts'
import { ROUTES } from './routes.ts'
import { signOutSecret } from './seam.ts'

/**
 * Sign-out at the request of an application (OpenID Connect RP-Initiated Logout 1.0). oidc-provider ends our
 * session, and this middleware ends the host's session with it. It also replaces the page that needs a script when
 * there is no session of ours.
 */
export function registerLogout(
  provider: Provider,
  { accounts, pages, settings }: Pick<ProviderDependencies, 'accounts' | 'pages' | 'settings'>,
): void {
  provider.use(async function logout(context: unknown, next: Next) {
    const ctx = context as KoaContextWithOIDC
    const isSignOut = ctx.path.toLowerCase().startsWith(ROUTES.end_session)
    // The only parameter that is stored unchanged.
    const tooLong = isSignOut && findTooLong({ state: ctx.query['state'] })
    if (tooLong) {
      answerError(ctx, pages, { status: 400, error: 'invalid_request', description: tooLong.description })
      return
    }
    await next()
    const oidc = (context as { oidc?: KoaContextWithOIDC['oidc'] }).oidc
    if (oidc?.route === 'end_session' && ctx.status === 200 && oidc.session?.accountId === undefined) {
      await answerWithoutSession(ctx)
    }
    if (oidc?.route === 'end_session_confirm' && ctx.status === 303 && oidc.params?.['logout']) {
      await accounts.signOut?.(requestState(ctx).host)
    }
  })

  /**
   * Answers a sign-out without a session of ours. It asks only if a person is signed in at the host; otherwise
   * there is no session to end.
   */
  async function answerWithoutSession(ctx: KoaContextWithOIDC): Promise<void> {
    const isAtHost = accounts.signOut && (await accounts.current?.(requestState(ctx).host))
    if (isAtHost) {
      // The form needs the saved session; other visitors without a session do not get one stored.
      await ctx.oidc.session?.save(settings.lifetimes.interaction)
      pages.renderSignOut(ctx, signOutForm(ctx))
      return
    }
    const redirectUri = ctx.oidc.params?.['post_logout_redirect_uri']
    if (typeof redirectUri !== 'string') {
      pages.renderSignedOut(ctx)
      return
    }
    // oidc-provider has already checked it against the addresses registered for the application.
    const target = new URL(redirectUri)
    const state = ctx.oidc.params?.['state']
    if (typeof state === 'string') target.searchParams.set('state', state)
    ctx.redirect(target.href)
    ctx.status = 303
  }
}

/** The request data that the sign-out page needs (OpenID Connect RP-Initiated Logout 1.0, 2). */
export function signOutForm(ctx: KoaContextWithOIDC) {
  const { provider, params } = ctx.oidc
  const redirectUri = params?.['post_logout_redirect_uri']
  return {
    action: provider.urlFor('end_session_confirm'),
    xsrf: signOutSecret(ctx),
    redirectOrigin: typeof redirectUri === 'string' ? new URL(redirectUri).origin : undefined,
  }
}
