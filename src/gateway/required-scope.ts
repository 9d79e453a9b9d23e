import type { RouteClaim } from '../catalog/catalog.ts'
import { readingsOf } from './canonical-path.ts'
import type { GatewayDependencies } from './dependencies.ts'

/** Only parameters match this segment, because no literal segment of a route contains this character. */
export const ANY_SEGMENT = '\u0000'

/** The first is the scope of the operation that the request names. */
export type RequiredScopes = readonly [scope: string, ...others: string[]]

/**
 * The scopes that a request below {base_url} needs. Undefined if no operation has its method and path, or if
 * different routers would run different operations. Some routers take the end of `/invoices/` for an empty
 * parameter, so such a path also needs the scope of `/invoices/:id`.
 *
 * A known path with an unknown method gets 404 and not 405. A 405 would need an `Allow` header with all
 * methods of the path, but the host may have more routes than operations.
 *
 * @param path canonical, below {base_url}
 * @param endsInSlash whether the sent path ended in a slash
 */
export function requiredScopesOf(
  method: string,
  path: string,
  endsInSlash: boolean,
  catalog: Pick<GatewayDependencies, 'findScope' | 'findClaims'>,
): RequiredScopes | undefined {
  const [cautious, full] = readingsOf(path)
  const scope = catalog.findScope(method, full)
  // The gateway cannot know which of two operations would run.
  if (scope === undefined || (cautious !== full && scope !== catalog.findScope(method, cautious)))
    return undefined
  if (!endsInSlash) return [scope]
  const others = claimsOfEmptySegment(method, path, catalog).map((claim) => claim.scope)
  return [scope, ...new Set(others.filter((other) => other !== scope))]
}

/** In a router that takes the trailing slash for an empty parameter. `path` has no slash at its end. */
export function claimsOfEmptySegment(
  method: string,
  path: string,
  { findClaims }: Pick<GatewayDependencies, 'findClaims'>,
): readonly RouteClaim[] {
  return readingsOf(withEmptySegment(path)).flatMap((reading) => findClaims(method, reading))
}

/** @param path canonical, below {base_url}, without the slash */
export function withEmptySegment(path: string): string {
  return `${path === '/' ? '' : path}/${ANY_SEGMENT}`
}
