import type { Catalog, Product } from './catalog.ts'
import { scopesOf, type ProductScopes } from './product-scopes.ts'

/**
 * The allowed part of a catalog. If the best match for a request is the route of an operation outside the
 * allowed part, the request finds no operation. A less specific route of an allowed operation is not used
 * instead, because the host's router would still run the handler of the best match.
 *
 * @param to the allowed part
 * @param epoch the epoch of the allowed part
 * @returns the frozen catalog
 */
export function restrictCatalog(catalog: Catalog, to: ProductScopes, epoch: number): Catalog {
  const products = new Map<string, Product>()
  const scopes = new Set<string>()
  for (const [id, product] of catalog.products) {
    const allowed = new Set(scopesOf(to, id))
    const operations = product.operations.filter(({ scope }) => allowed.has(scope))
    for (const { scope } of operations) scopes.add(scope)
    if (operations.length > 0) {
      products.set(id, Object.freeze({ ...product, operations: Object.freeze(operations) }))
    }
  }
  const operations = new Map([...catalog.operations].filter(([scope]) => scopes.has(scope)))

  return Object.freeze({
    products,
    operations,
    kycLevels: catalog.kycLevels,
    epoch,
    findOperation(method: string, path: string) {
      const operation = catalog.findOperation(method, path)
      return operation && scopes.has(operation.scope) ? operation : undefined
    },
    findClaims: catalog.findClaims,
  })
}
