import { givenBy, lacking } from '../catalog/given.ts'
import type { LiveCatalog } from '../catalog/live-catalog.ts'
import type { HealthCheck } from './health.ts'
import { reasonOf } from './reason.ts'

const name = 'products'
/** Operations that are named at most. */
const NAMED = 5

/** Whether the products are there, could be loaded the last time, and all of them are given. */
export function checkProducts(
  catalog: Pick<LiveCatalog, 'current' | 'loaded' | 'given' | 'refusal'>,
): HealthCheck {
  const { refusal } = catalog
  if (!catalog.loaded) {
    return refusal === undefined
      ? {
          name,
          verdict: 'unknown',
          message: 'the products have not been loaded yet',
          fix: 'See the check `start`',
        }
      : { name, verdict: 'bad', message: `the products are not there: ${reasonOf(refusal)}`, fix: CORRECT }
  }
  const { products, operations } = catalog.current
  const message = `${products.size} products with ${operations.size} operations are in force`
  if (refusal !== undefined) {
    return {
      name,
      verdict: 'warning',
      message: `${message}, as they were before the last load, which was refused: ${reasonOf(refusal)}`,
      fix: CORRECT,
    }
  }
  const withheld = lacking(givenBy(catalog.current), catalog.given)
  if (withheld.length === 0) return { name, verdict: 'good', message }
  const named = withheld.slice(0, NAMED).map(({ product, scope }) => `${scope} of ${product}`)
  const more = withheld.length - named.length
  return {
    name,
    verdict: 'warning',
    message:
      `${message}; not given here are ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}, ` +
      'because a process that was started or reloaded later does not have them',
    fix:
      'Deploy the same products everywhere; to give them again, start this process anew, or call ' +
      '`catalog.reload()` in it where a function loads them',
  }
}

const CORRECT = 'Correct the products, or the function that loads them; the log has all of what is wrong'
