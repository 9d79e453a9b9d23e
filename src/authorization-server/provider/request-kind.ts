import { Provider, type KoaContextWithOIDC } from 'oidc-provider'

// The kind of the current request, by oidc-provider's route names. Relies on: these names.

/** Whether this request is a token request. */
export function isTokenRequest(): boolean {
  return Provider.ctx?.oidc.route === 'token'
}

/** Whether this request introspects a token (RFC 7662). */
export function isIntrospection(): boolean {
  return Provider.ctx?.oidc.route === 'introspection'
}

/** Whether this request revokes a token (RFC 7009). */
export function isRevocation(): boolean {
  return Provider.ctx?.oidc.route === 'revocation'
}

/** Whether this request presents a token to introspect or revoke it, and not to use it. */
export function isAboutToken(): boolean {
  return isIntrospection() || isRevocation()
}

/**
 * Whether a browser sends this request on behalf of an application. API keys are not valid clients in such
 * requests.
 */
export function isFrontChannel(): boolean {
  return FRONT_CHANNEL.has(Provider.ctx?.oidc.route ?? '')
}

const FRONT_CHANNEL: ReadonlySet<string> = new Set([
  'authorization',
  'resume',
  'end_session',
  'end_session_confirm',
  'end_session_success',
])

/** Whether the person returns from the pages with this request. */
export function isComingBack(ctx: KoaContextWithOIDC): boolean {
  return ctx.oidc.route === 'resume'
}
