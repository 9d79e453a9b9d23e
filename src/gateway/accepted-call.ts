import type { Context } from 'koa'
import type { Principal } from './principal.ts'

const REQUIRED_SCOPES = Symbol('required scopes')

interface AcceptedCall extends Context {
  [REQUIRED_SCOPES]?: readonly string[]
}

/**
 * Accepts a call: the guards and handlers below find its principal in `ctx.state.auth`.
 *
 * @param scopes the scopes that the token had to carry
 */
export function acceptCall(ctx: Context, principal: Principal, scopes: readonly string[]): void {
  ctx.state['auth'] = principal
  ;(ctx as AcceptedCall)[REQUIRED_SCOPES] = scopes
}

/**
 * The scopes that the guards above have required. A client requests exactly the scopes of an error response, so
 * the response of the next guard must name them too. Otherwise the new token would fail at the guards above.
 */
export function scopesRequiredAbove(ctx: Context): readonly string[] {
  return (ctx as AcceptedCall)[REQUIRED_SCOPES] ?? []
}
