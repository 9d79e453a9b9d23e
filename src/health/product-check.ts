import { productScopesOf, missingFrom } from '../catalog/product-scopes.ts'
import type { LiveCatalog } from '../catalog/live-catalog.ts'
import { fail, nameSome, pass, unknown, warn } from '../store/check-results.ts'
import { CORRECT_PRODUCTS, SEE_START } from './remedies.ts'
import type { HealthCheck } from './health-report.ts'
import { reasonOf } from './reason.ts'

const name = 'products'

/** Checks whether products are loaded, the last load succeeded, and all operations are available. */
export function checkProducts(
  catalog: Pick<LiveCatalog, 'current' | 'loaded' | 'loadedScopes' | 'rejection'>,
): HealthCheck {
  const { rejection } = catalog
  if (!catalog.loaded) {
    return rejection === undefined
      ? unknown(name, 'the products have not been loaded yet', SEE_START)
      : fail(name, `the products cannot be loaded: ${reasonOf(rejection)}`, CORRECT_PRODUCTS)
  }
  const { products, operations } = catalog.current
  const message = `${products.size} products with ${operations.size} operations are active`
  if (rejection !== undefined) {
    const why = `from an earlier load, because the last load was rejected: ${reasonOf(rejection)}`
    return warn(name, `${message}, ${why}`, CORRECT_PRODUCTS)
  }
  const withheld = missingFrom(productScopesOf(catalog.current), catalog.loadedScopes)
  if (withheld.length === 0) return pass(name, message)
  const named = nameSome(withheld.map(({ product, scope }) => `${scope} of ${product}`))
  return warn(
    name,
    `${message}; these operations are not available: ${named}. A process that ` +
      'was started or reloaded later does not have them',
    'Deploy the same products everywhere. To make these operations available again, restart this process, or call ' +
      '`catalog.reload()` in this process if a function loads the products',
  )
}
