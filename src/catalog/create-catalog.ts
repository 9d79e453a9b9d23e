import { isDeepStrictEqual } from 'node:util'
import { collectProblems, formatKey } from '../errors.ts'
import { findProblems } from '../validation/rules.ts'
import type { Catalog, Operation, Product, RouteClaim } from './catalog.ts'
import { deepFreeze } from './deep-freeze.ts'
import type { LocalizedText, OperationDefinition, ProductDefinitions } from './definition.ts'
import { productsRule, type CatalogOptions } from './product-definitions-rule.ts'
import { findRepeatedBase, parseRoute, shapeOf, type Route } from './route.ts'
import { createRouteIndex } from './route-index.ts'

/**
 * Creates the frozen catalog of definitions of any shape; products must not contradict each other.
 * @throws {GatehouseError} `ERR_CATALOG` with up to about a hundred problems, each with its path. Conflicts
 *   between operations are reported only if each product is valid on its own. `ERR_OPTIONS` if the products are valid,
 *   and routes repeat the path of {base_url}
 */
export function createCatalog(definitions: unknown, options: CatalogOptions = {}): Catalog {
  const found = findProblems({ products: definitions }, { products: productsRule(options) })
  const problems = collectProblems('ERR_CATALOG', 'the products are not valid', found)
  problems.throwIfAny()

  const repeats = collectProblems('ERR_OPTIONS', 'routes of the products repeat the path of audience')
  const products = new Map<string, Product>()
  const operations = new Map<string, Operation>()
  const places = new Map<string, string>()
  const routes = createRouteIndex<RouteClaim & { operation: Operation; place: string }>()
  for (const [id, product] of Object.entries(definitions as ProductDefinitions)) {
    const place = `products${formatKey(id)}.operations`
    const own = Object.entries(product.operations).map(([scope, definition]) =>
      addOperation(scope, definition, `${place}${formatKey(scope)}`, options.basePathOf?.(id)),
    )
    products.set(id, deepFreeze({ id, ...copyTexts(product), operations: own }))
  }
  problems.throwIfAny()
  repeats.throwIfAny()

  return Object.freeze({
    products,
    operations,
    kycLevels: Object.freeze([...(options.kycLevels ?? [])]),
    epoch: 0,
    findOperation(method: string, path: string) {
      return routes.find(method, path)?.operation
    },
    findClaims: routes.findAll,
  })

  /** For a known scope: the known operation, and a problem if the two differ. */
  function addOperation(scope: string, definition: OperationDefinition, place: string, base = ''): Operation {
    const parsed = [definition.route ?? []].flat().map((text) => parseRoute(text) as Route)
    const placeOf = (index: number) => `${place}.route${Array.isArray(definition.route) ? `[${index}]` : ''}`
    for (const [index, route] of parsed.entries()) {
      const repeated = findRepeatedBase(route, base)
      if (repeated !== undefined) repeats.add(placeOf(index), repeated)
    }
    const operation: Operation = deepFreeze({
      scope,
      routes: parsed.map(({ method, path }) => ({ method, path })),
      ...copyTexts(definition),
      kycLevel: definition.kycLevel,
      sensitive: definition.sensitive ?? false,
    })
    const known = operations.get(scope)
    if (known !== undefined) {
      const differing = differences(known, operation)
      if (differing.length > 0) {
        problems.add(place, {
          code: 'not-allowed',
          message: `differs from ${places.get(scope)} in ${differing.join(', ')}; one scope is one operation: make both equal, or use another scope for one of them`,
        })
      }
      return known
    }
    operations.set(scope, operation)
    places.set(scope, place)
    for (const [index, { method, segments }] of parsed.entries()) {
      const at = placeOf(index)
      const shape = shapeOf(method, segments)
      const existing = routes.add(method, segments, { operation, place: at, shape, scope })
      if (existing !== undefined) {
        problems.add(at, {
          code: 'duplicate',
          message: `is the same route as ${existing.place}: names of parameters and letter case make no difference`,
        })
      }
    }
    return operation
  }
}

function differences(one: Operation, other: Operation): string[] {
  const properties = ['routes', 'title', 'description', 'kycLevel', 'sensitive'] as const
  return properties
    .filter((property) => !isDeepStrictEqual(one[property], other[property]))
    .map((property) => (property === 'routes' ? 'route' : property))
}

/** Copies the texts, so that freezing the catalog does not freeze the host's definitions. */
function copyTexts({ title, description }: Pick<OperationDefinition, 'title' | 'description'>) {
  const copy = (text: LocalizedText) => (typeof text === 'string' ? text : { ...text })
  return { title: copy(title), description: description && copy(description) }
}
