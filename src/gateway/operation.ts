import { METHODS } from '../catalog/route.ts'
import { readingsOf } from './canonical-path.ts'
import type { GatewayDependencies } from './dependencies.ts'

/** A segment that matches parameters alone: no route has this character. */
export const ANY_SEGMENT = '\u0000'

/**
 * The scope that a request below {base_url} needs; undefined if no operation claims it, or if not every router would
 * run the same one. An operation is a method and a path together: another method on a known path is answered with 404
 * as well, and not with 405, whose `Allow` would have to list routes that the gateway does not know of.
 *
 * @param method as it was sent; HEAD is its GET
 * @param path canonical, below {base_url}
 */
export function requiredScopeOf(
  method: string,
  path: string,
  catalog: Pick<GatewayDependencies, 'findScope'>,
): string | undefined {
  const lookedUp = method === 'HEAD' ? 'GET' : method
  const [cautious, full] = readingsOf(path)
  const scope = catalog.findScope(lookedUp, full)
  // Where one router would see another operation than the next, nobody knows which one would run.
  return cautious === full || scope === catalog.findScope(lookedUp, cautious) ? scope : undefined
}

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
  const paths = endsInSlash ? [path, `${path === '/' ? '' : path}/${ANY_SEGMENT}`] : [path]
  return paths
    .flatMap((each) => readingsOf(each))
    .every((reading) => METHODS.every((method) => catalog.findClaims(method, reading).length === 0))
}
