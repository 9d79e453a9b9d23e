import type { Middleware, ParameterizedContext } from 'koa'
import { collectProblems } from '../errors.ts'
import { bearerRequestOf, scopesRequiredAbove, settleCall } from './guard.ts'
import type { GatewayParts } from './parts.ts'
import type { Principal } from './principal.ts'

/**
 * Guards one route: the token must carry all of `scopes`. The token may have expired or been revoked since
 * `middleware()` accepted it. @throws {GatehouseError} `ERR_OPTIONS` without a scope, or with an unknown scope
 */
export function requireScope(
  parts: GatewayParts,
  scopes: readonly string[],
): Middleware<{ auth: Principal }> {
  const { dependencies } = parts
  const problems = collectProblems('ERR_OPTIONS', 'requireScope() cannot be satisfied')
  if (scopes.length === 0) problems.add('scopes', { code: 'empty', message: 'name at least one scope' })
  for (const [i, scope] of scopes.entries()) {
    if (dependencies.isKnownScope(scope)) continue
    problems.add(`scopes[${i}]`, { code: 'not-found', message: `no operation has the scope ${scope}` })
  }
  problems.throwIfAny()

  return async function requireScope(ctx, next) {
    if (await acceptWithScopes(parts, ctx, scopes)) return next()
    return undefined
  }
}

/**
 * Accepts a request if its token carries all of `scopes`, and those that earlier guards required. Otherwise answers.
 */
export async function acceptWithScopes(
  parts: GatewayParts,
  ctx: ParameterizedContext,
  scopes: readonly string[],
): Promise<Principal | undefined> {
  const { authorizer } = parts
  const { auth } = ctx.state as { auth?: unknown }
  const isGuarded = authorizer.isOwn(auth)
  const required = isGuarded ? [...new Set([...scopesRequiredAbove(ctx), ...scopes])] : scopes
  const outcome = isGuarded
    ? authorizer.authorizePrincipal(auth, required)
    : await authorizer.authorizeToken(bearerRequestOf(parts, ctx), required)
  const isAccepted = await settleCall(parts, ctx, outcome, required)
  return isAccepted && outcome.ok ? outcome.principal : undefined
}
