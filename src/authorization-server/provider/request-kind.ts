import { Provider, type KoaContextWithOIDC } from 'oidc-provider'

// What a request is, by the names that oidc-provider gives to its routes. Relies on: these names.

/** Whether this request is to get a token. */
export function isTokenRequest(): boolean {
  return Provider.ctx?.oidc.route === 'token'
}

/** Whether this request asks about a token (RFC 7662). */
export function isIntrospection(): boolean {
  return Provider.ctx?.oidc.route === 'introspection'
}

/** Whether this request revokes a token (RFC 7009). */
export function isRevocation(): boolean {
  return Provider.ctx?.oidc.route === 'revocation'
}

/** Whether a token is presented to be introspected or revoked, and not to be used. */
export function isAboutToken(): boolean {
  return isIntrospection() || isRevocation()
}

/** Whether a browser brings this request, from an application that sent it here: API keys are no clients there. */
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

/** Whether the person comes back from the pages with this request. */
export function isComingBack(ctx: KoaContextWithOIDC): boolean {
  return ctx.oidc.route === 'resume'
}
