import { collectProblems, formatPath } from '../errors.ts'
import type { Catalog, Operation, Product, RouteClaim } from './catalog.ts'
import { deepFreeze } from './deep-freeze.ts'
import { differences, type Place, readProduct, type ReadOperation, type Reading } from './read-definitions.ts'
import { isObject } from '../validation/predicates.ts'
import { shapeOf } from './route.ts'
import { createRouteIndex } from './route-index.ts'
import { OPENID_SCOPES } from './scope.ts'

/** Constraints on definitions. */
export interface CatalogOptions {
  /** The host's KYC levels, lowest first. If they are omitted, levels are not checked. */
  readonly kycLevels?: readonly string[] | undefined
  /** Scopes that no operation may have, in addition to those of OpenID Connect. */
  readonly reservedScopes?: readonly string[] | undefined
}

/**
 * Makes the catalog of a host's products.
 *
 * @param definitions of any shape, since they may come from a database; neither changed nor retained
 * @returns the frozen catalog
 * @throws {GatehouseError} `ERR_CATALOG` with all problems, each with its path
 */
export function createCatalog(definitions: unknown, options: CatalogOptions = {}): Catalog {
  const problems = collectProblems('ERR_CATALOG', 'the products are not valid')
  const reading: Reading = {
    kycLevels: options.kycLevels,
    reservedScopes: new Set([...OPENID_SCOPES, ...(options.reservedScopes ?? [])]),
    problem: (place, message) => problems.add(formatPath(place), message),
  }
  if (!isObject(definitions))
    reading.problem(['products'], 'must be an object of products, each under its id')

  const products = new Map<string, Product>()
  const operations = new Map<string, Operation>()
  const places = new Map<string, Place>()
  const routes = createRouteIndex<RouteClaim & { operation: Operation; place: Place }>()
  for (const [id, definition] of isObject(definitions) ? Object.entries(definitions) : []) {
    const read = readProduct(reading, id, definition)
    if (read === undefined) continue
    const own = read.operations.map((entry) => enter(entry))
    products.set(id, deepFreeze({ ...read.product, operations: own }))
  }
  problems.throwIfAny()

  return Object.freeze({
    products,
    operations,
    kycLevels: Object.freeze([...(options.kycLevels ?? [])]),
    epoch: 0,
    findOperation(method: string, path: string) {
      return routes.find(method === 'HEAD' ? 'GET' : method, path)?.operation
    },
    findClaims(method: string, path: string) {
      return routes.findAll(method === 'HEAD' ? 'GET' : method, path)
    },
  })

  /** Adds an operation to the indexes, or finds that it is already there. */
  function enter({ operation, place, routes: ownRoutes }: ReadOperation): Operation {
    const { scope } = operation
    const known = operations.get(scope)
    if (known !== undefined) {
      const differing = differences(known, operation)
      if (differing.length > 0) {
        const other = formatPath(places.get(scope) ?? [])
        reading.problem(
          place,
          `differs from ${other} in ${differing.join(', ')}; one scope is one operation: make both equal, or use another scope for one of them`,
        )
      }
      return known
    }
    deepFreeze(operation)
    operations.set(scope, operation)
    places.set(scope, place)
    for (const { route, place: at } of ownRoutes) {
      const { method, segments } = route
      const shape = shapeOf(method, segments)
      const existing = routes.add(method, segments, { operation, place: at, shape, scope })
      if (existing !== undefined) {
        reading.problem(
          at,
          `is the same route as ${formatPath(existing.place)}: names of parameters and letter case make no difference`,
        )
      }
    }
    return operation
  }
}
