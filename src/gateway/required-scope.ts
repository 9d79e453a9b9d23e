import type { RouteClaim } from '../catalog/catalog.ts'
import { METHODS } from '../catalog/route.ts'
import { readingsOf } from './canonical-path.ts'
import type { GatewayDependencies } from './dependencies.ts'

/** A segment that matches parameters alone: no route has this character. */
export const ANY_SEGMENT = '\u0000'

/** What a token must carry; the first is the scope of the operation that the request names. */
export type RequiredScopes = readonly [scope: string, ...others: string[]]

/**
 * The scopes that a request below {base_url} needs, that of its operation first; undefined if no operation claims it, or
 * if not every router would run the same one. Some routers take the end of `/invoices/` for an empty parameter, so that
 * such a path needs the scope of `/invoices/:id` as well. An operation is a method and a path together: another method
 * on a known path is answered with 404 as well, and not with 405, whose `Allow` would have to list routes that the
 * gateway does not know of.
 *
 * @param method as it was sent; HEAD is its GET
 * @param path canonical, below {base_url}
 * @param endsInSlash whether it did, as it was sent
 */
export function requiredScopesOf(
  method: string,
  path: string,
  endsInSlash: boolean,
  catalog: Pick<GatewayDependencies, 'findScope' | 'findClaims'>,
): RequiredScopes | undefined {
  const lookedUp = method === 'HEAD' ? 'GET' : method
  const [cautious, full] = readingsOf(path)
  const scope = catalog.findScope(lookedUp, full)
  // Where one router would see another operation than the next, nobody knows which one would run.
  if (scope === undefined || (cautious !== full && scope !== catalog.findScope(lookedUp, cautious)))
    return undefined
  if (!endsInSlash) return [scope]
  const others = claimsOfEmptySegment(lookedUp, path, catalog).map((claim) => claim.scope)
  return [scope, ...new Set(others.filter((other) => other !== scope))]
}

/**
 * The routes by which a router that takes the slash at the end of a path for an empty parameter would run the request.
 *
 * @param method never HEAD
 * @param path canonical, below {base_url}, without the slash
 */
export function claimsOfEmptySegment(
  method: string,
  path: string,
  { findClaims }: Pick<GatewayDependencies, 'findClaims'>,
): readonly RouteClaim[] {
  return readingsOf(withEmptySegment(path)).flatMap((reading) => findClaims(method, reading))
}

const withEmptySegment = (path: string) => `${path === '/' ? '' : path}/${ANY_SEGMENT}`

/**
 * Whether no operation claims a path, with any method and by any reading: handlers that look at the path alone are
 * usual, and some routers take the end of `/invoices/` for an empty parameter.
 *
 * @param path canonical, below {base_url}
 * @param endsInSlash whether it did, as it was sent
 */
export function isUnclaimed(
  path: string,
  endsInSlash: boolean,
  catalog: Pick<GatewayDependencies, 'findClaims'>,
): boolean {
  const paths = endsInSlash ? [path, withEmptySegment(path)] : [path]
  return paths
    .flatMap((each) => readingsOf(each))
    .every((reading) => METHODS.every((method) => catalog.findClaims(method, reading).length === 0))
}
