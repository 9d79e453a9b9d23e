import type { RouteDefinition } from '../catalog/definition.ts'
import { parseRoute } from '../catalog/route.ts'
import { createRouteIndex } from '../catalog/route-index.ts'
import { collectProblems } from '../errors.ts'
import { readingsOf } from './canonical-path.ts'

/** A route below {base_url} that needs no token: written as operations are, and OPTIONS may be one too. */
export type PublicRoute = RouteDefinition | `OPTIONS /${string}`

/** The routes that need no token. */
export interface PublicRoutes {
  /**
   * Whether a request needs no token. A route that names exactly this path wins over operations, because
   * somebody wrote that very address down; one that fits by a parameter or but for letter case yields to
   * them, lest `GET /invoices/:id` open `GET /invoices/list`.
   *
   * @param path canonical, below {base_url}
   * @param isClaimed whether an operation claims the request
   */
  has(method: string, path: string, isClaimed: boolean): boolean
}

/**
 * Compiles `public` of `middleware()`.
 *
 * @throws {GatehouseError} `ERR_OPTIONS` with everything that is no route
 */
export function createPublicRoutes(routes: readonly PublicRoute[]): PublicRoutes {
  const problems = collectProblems('ERR_OPTIONS', 'the options of the gateway are not valid')
  const index = createRouteIndex<{ readonly path: string }>()
  const exact = new Set<string>()

  for (const [i, text] of (Array.isArray(routes) ? routes : [routes]).entries()) {
    // OPTIONS is no method of operations; apart from that the syntax is theirs.
    const isOptions = typeof text === 'string' && text.startsWith('OPTIONS ')
    const route = parseRoute(isOptions ? text.replace('OPTIONS', 'GET') : text)
    if (typeof route === 'string') {
      problems.add(`public[${i}]`, route)
      continue
    }
    const method = isOptions ? 'OPTIONS' : route.method
    index.add(method, route.segments, route)
    if (!route.segments.some((segment) => 'parameter' in segment)) exact.add(`${method} ${route.path}`)
  }
  problems.throwIfAny()

  return {
    has(method, path, isClaimed) {
      if (exact.has(`${method} ${path}`)) return true
      if (isClaimed) return false
      const [cautious, full] = readingsOf(path)
      const route = index.find(method, full)
      return route !== undefined && route === index.find(method, cautious)
    },
  }
}
