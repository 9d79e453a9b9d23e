import { METHODS } from '../catalog/route.ts'
import { readingsOf, type Location, type LocationBelow } from './canonical-path.ts'
import type { GatewayDependencies } from './dependencies.ts'
import type { ErrorResponse, ErrorResponses } from './error-responses.ts'
import type { RequestLocation } from './request-location.ts'
import { withEmptySegment } from './required-scope.ts'

/** 404 with and without a token, and not 401 or 403, because no token would let the request through. */
export function rejectUnclaimed(
  errorResponses: ErrorResponses,
  location: Location | RequestLocation,
): ErrorResponse {
  return errorResponses.notFound(location.place === 'unclear' ? location.problem : undefined)
}

/**
 * Whether a path belongs to no operation, however a router reads the path. Many handlers check only the path,
 * so the method is ignored. Some routers take the end of `/invoices/` for an empty parameter.
 */
export function isUnclaimed(
  { path, endsInSlash }: LocationBelow,
  catalog: Pick<GatewayDependencies, 'findClaims'>,
): boolean {
  const paths = endsInSlash || path === '/' ? [path, withEmptySegment(path)] : [path]
  return paths
    .flatMap((each) => readingsOf(each))
    .every((reading) => METHODS.every((method) => catalog.findClaims(method, reading).length === 0))
}
