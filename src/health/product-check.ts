import { productScopesOf, missingFrom } from '../catalog/product-scopes.ts'
import type { LiveCatalog } from '../catalog/live-catalog.ts'
import { bad, good, unknown, warning } from '../store/check-results.ts'
import { CORRECT_PRODUCTS, SEE_START } from './remedies.ts'
import type { HealthCheck } from './health.ts'
import { reasonOf } from './reason.ts'

const name = 'products'
/** Operations that are named at most. */
const NAMED = 5

/** Whether the products are there, could be loaded the last time, and all of them are given. */
export function checkProducts(
  catalog: Pick<LiveCatalog, 'current' | 'loaded' | 'loadedScopes' | 'rejection'>,
): HealthCheck {
  const { rejection } = catalog
  if (!catalog.loaded) {
    return rejection === undefined
      ? unknown(name, 'the products have not been loaded yet', SEE_START)
      : bad(name, `the products are not there: ${reasonOf(rejection)}`, CORRECT_PRODUCTS)
  }
  const { products, operations } = catalog.current
  const message = `${products.size} products with ${operations.size} operations are in force`
  if (rejection !== undefined) {
    return warning(
      name,
      `${message}, as they were before the last load, which was rejected: ${reasonOf(rejection)}`,
      CORRECT_PRODUCTS,
    )
  }
  const withheld = missingFrom(productScopesOf(catalog.current), catalog.loadedScopes)
  if (withheld.length === 0) return good(name, message)
  const named = withheld.slice(0, NAMED).map(({ product, scope }) => `${scope} of ${product}`)
  const more = withheld.length - named.length
  return warning(
    name,
    `${message}; not given here are ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}, ` +
      'because a process that was started or reloaded later does not have them',
    'Deploy the same products everywhere; to give them again, start this process anew, or call ' +
      '`catalog.reload()` in it where a function loads them',
  )
}
