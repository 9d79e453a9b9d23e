import type { RouteClaim } from '../catalog/catalog.ts'
import { METHODS } from '../catalog/route.ts'
import { readingsOf, type Location, type LocationBelow } from './canonical-path.ts'
import type { GatewayDependencies } from './dependencies.ts'
import type { ErrorResponses } from './error-responses.ts'
import type { RequestLocation } from './request-location.ts'

/** Only parameters match this segment, because no literal segment of a route contains this character. */
export const ANY_SEGMENT = '\u0000'

/** The first is the scope of the operation that the request names. */
export type RequiredScopes = readonly [scope: string, ...others: string[]]

/**
 * The scopes that a request below {base_url} needs. Undefined (404, never 405) if no operation has its method and path,
 * or if different routers would run different operations. Some routers take the end of `/invoices/` for an empty
 * parameter, so such a path also needs the scope of `/invoices/:id`. `path` is canonical.
 *
 * An unknown method gets 404 and not 405: `Allow` would have to name all routes of the host.
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

export function claimsOfEmptySegment(
  method: string,
  path: string,
  { findClaims }: Pick<GatewayDependencies, 'findClaims'>,
): readonly RouteClaim[] {
  return readingsOf(withEmptySegment(path)).flatMap((reading) => findClaims(method, reading))
}

/** @param path canonical, below {base_url}, without the slash */
function withEmptySegment(path: string): string {
  return `${path === '/' ? '' : path}/${ANY_SEGMENT}`
}

/** 404 with and without a token, and not 401 or 403, because no token would let the request through. */
export function rejectUnclaimed(errorResponses: ErrorResponses, location: Location | RequestLocation) {
  return errorResponses.notFound(location.place === 'unclear' ? location.problem : undefined)
}

/** However a router reads the path. Many handlers check only the path, so the method is ignored. */
export function isUnclaimed(
  { path, endsInSlash }: LocationBelow,
  catalog: Pick<GatewayDependencies, 'findClaims'>,
): boolean {
  const paths = endsInSlash || path === '/' ? [path, withEmptySegment(path)] : [path]
  return paths
    .flatMap((each) => readingsOf(each))
    .every((reading) => METHODS.every((method) => catalog.findClaims(method, reading).length === 0))
}
