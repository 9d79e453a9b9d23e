import type { Middleware } from 'koa'
import { collectProblems } from '../errors.ts'
import type { AuthorizeRequest } from './authorize-request.ts'
import type { GatewayDependencies } from './dependencies.ts'
import { bearerRequestOf, writeRejection } from './guard.ts'
import type { Principal } from './principal.ts'

/**
 * Guards one route: the token must carry all of `scopes`. It reuses the principal of `middleware()` for the
 * same request, and otherwise verifies the token itself. Expiry and revocation are checked each time, because a
 * request may take long.
 *
 * @throws {GatehouseError} `ERR_OPTIONS` without a scope, or with a scope that no operation has
 */
export function requireScope(
  dependencies: Pick<GatewayDependencies, 'isKnownScope'>,
  authorizeRequest: AuthorizeRequest,
  scopes: readonly string[],
): Middleware<{ auth: Principal }> {
  const problems = collectProblems('ERR_OPTIONS', 'requireScope() cannot be satisfied')
  if (scopes.length === 0) problems.add('scopes', 'name at least one scope')
  for (const [i, scope] of scopes.entries()) {
    if (!dependencies.isKnownScope(scope)) problems.add(`scopes[${i}]`, `no operation has the scope ${scope}`)
  }
  problems.throwIfAny()

  return async function requireScope(ctx, next) {
    const { auth } = ctx.state as { auth?: unknown }
    const outcome = authorizeRequest.isOurs(auth)
      ? authorizeRequest.authorize(auth, scopes)
      : await authorizeRequest.admit(bearerRequestOf(ctx), scopes)
    if (!outcome.ok) return writeRejection(ctx, outcome)
    ctx.state.auth = outcome.principal
    return next()
  }
}
