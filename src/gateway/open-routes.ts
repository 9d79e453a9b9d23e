import type { RouteDefinition } from '../catalog/definition.ts'
import { findRepeatedBase, parseRoute, shapeOf, type Route } from '../catalog/route.ts'
import { createRouteIndex } from '../catalog/route-index.ts'
import { collectProblems } from '../errors.ts'
import { readingsOf } from './canonical-path.ts'
import type { GatewayDependencies } from './dependencies.ts'
import { ANY_SEGMENT, claimsOfEmptySegment } from './required-scope.ts'

/**
 * A route below the address of the API ({base_url}) that needs no token, written like the route of an operation. Unlike
 * an operation, it may have the method OPTIONS.
 */
export type PublicRoute = RouteDefinition | `OPTIONS /${string}`

/** `public` reads no token; `optional` verifies a token if one is sent. */
export type Openness = 'public' | 'optional'

interface OpenRoute {
  readonly openness: Openness
  readonly shape: string
  /** The spellings in letter case. Empty if the route has parameters. */
  readonly paths: Set<string>
}

/** Which routes need no token (`public`, `optional`), with OPTIONS for preflights. @throws `ERR_OPTIONS` */
export function createOpenRoutes(
  routes: { readonly [Each in Openness]?: readonly PublicRoute[] | undefined },
  base: string,
  catalog: Pick<GatewayDependencies, 'findClaims'>,
) {
  const problems = collectProblems('ERR_OPTIONS', 'the options of the gateway are not valid')
  const index = createRouteIndex<OpenRoute>()
  const optionalShapes = new Set<string>()

  for (const openness of ['public', 'optional'] as const) {
    const list = routes[openness] ?? []
    for (const [i, text] of (Array.isArray(list) ? list : [list]).entries()) {
      const problem = add(openness, text)
      if (problem !== undefined) problems.add(`${openness}[${i}]`, problem)
    }
  }
  problems.throwIfAny()

  function add(openness: Openness, text: unknown): string | undefined {
    // The parser gets GET instead of OPTIONS, because an operation cannot have the method OPTIONS.
    const isOptions = typeof text === 'string' && text.startsWith('OPTIONS ')
    const route = parseRoute(isOptions ? text.replace('OPTIONS', 'GET') : text)
    if (typeof route === 'string') return route
    const method = isOptions ? 'OPTIONS' : route.method
    const shape = shapeOf(method, route.segments)
    const problem = whyNeverMatched(openness, method, route)
    if (problem !== undefined) return problem

    const own = { openness, shape, paths: new Set<string>() }
    const stored = index.add(method, route.segments, own) ?? own
    if (stored.openness !== openness) return `is ${stored.openness} already`
    if (!hasParameter(route)) stored.paths.add(route.path)
    if (openness === 'optional') optionalShapes.add(shape)
    return undefined
  }

  function whyNeverMatched(openness: Openness, method: string, route: Omit<Route, 'method'>) {
    const repeated = findRepeatedBase(route, base)
    if (repeated !== undefined || !hasParameter(route)) return repeated
    const segments = route.segments.map((each) => ('parameter' in each ? ANY_SEGMENT : each.literal))
    const ownShape = shapeOf(method, route.segments)
    const claims = catalog.findClaims(method, `/${segments.join('/')}`)
    if (claims.length === 0 || (openness === 'optional' && claims.every(({ shape }) => shape === ownShape)))
      return undefined
    return 'never matches: operations claim all of its requests, and an operation wins over a route with a parameter'
  }

  return {
    /**
     * Undefined if the request needs a token. A route without parameters whose path is exactly `path` wins over
     * operations, because the host wrote this path. An operation wins over a route that differs in letter case, or
     * has a parameter: `GET /invoices/:id` does not open the operation `GET /invoices/list`. But `optional` makes the
     * token optional for an operation with the same route.
     * @param path canonical, below {base_url}
     * @param endsInSlash some routers take that slash for an empty parameter
     */
    find(method: string, path: string, endsInSlash: boolean): Openness | undefined {
      // What some routers would run for `/invoices/`. Each of these operations needs an optional route.
      const others = endsInSlash ? claimsOfEmptySegment(method, path, catalog) : []
      if (!others.every(({ shape }) => optionalShapes.has(shape))) return undefined
      const openness = findWithoutSlash(method, path)
      return openness === 'public' && others.length > 0 ? 'optional' : openness
    },
  }

  function findWithoutSlash(method: string, path: string): Openness | undefined {
    const readings = readingsOf(path)
    const [cautious, full] = readings
    const route = index.find(method, full)
    if (route === undefined || (cautious !== full && route !== index.find(method, cautious))) return undefined

    const claims = readings.map((reading) => catalog.findClaims(method, reading))
    if (claims.every((each) => each.length === 0)) return route.openness
    // Different routers would run different operations, so the request needs a token.
    if (!claims.every((each) => each.length === 1 && each[0] === claims[0]?.[0])) return undefined
    if (route.paths.has(path)) return route.openness
    return route.openness === 'optional' && claims[0]?.[0]?.shape === route.shape ? 'optional' : undefined
  }
}

function hasParameter({ segments }: Pick<Route, 'segments'>): boolean {
  return segments.some((segment) => 'parameter' in segment)
}
