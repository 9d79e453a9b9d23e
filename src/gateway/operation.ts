import { readingsOf } from './canonical-path.ts'
import type { GatewayDependencies } from './dependencies.ts'
import type { PublicRoutes } from './public-routes.ts'

/** What the gateway demands of a request: nothing, a scope, or that it goes away. */
export type Demand = 'public' | 'unclaimed' | { readonly scope: string }

/**
 * Decides what a request below {base_url} needs. One that nobody claims is denied, whatever its method: an
 * operation is a method and a path together, so another method on a known path is answered with 404 as well,
 * and not with 405, whose `Allow` would have to list routes that the gateway does not know of.
 *
 * @param method as it was sent; HEAD is its GET
 * @param path canonical, below {base_url}
 */
export function demandOf(
  method: string,
  path: string,
  catalog: Pick<GatewayDependencies, 'findScope'>,
  publicRoutes?: PublicRoutes,
): Demand {
  const lookedUp = method === 'HEAD' ? 'GET' : method
  const [cautious, full] = readingsOf(path)
  const scope = catalog.findScope(lookedUp, full)
  // Where one router would see another operation than the next, nobody knows which one would run.
  const cautiousScope = cautious === full ? scope : catalog.findScope(lookedUp, cautious)
  const isClaimed = scope !== undefined || cautiousScope !== undefined
  if (publicRoutes?.has(lookedUp, path, isClaimed)) return 'public'
  return scope === undefined || scope !== cautiousScope ? 'unclaimed' : { scope }
}
