import type { EntryFields } from '../../audit/entry.ts'
import { missingFrom, type ProductOperation, type ProductScopes } from '../product-scopes.ts'

/** The number of operations that a list of an entry names. */
const MAX_NAMED = 100

/** The audit entry of a change of the products; undefined if no product has other operations than before. */
export function catalogEntry(before: ProductScopes, after: ProductScopes): EntryFields | undefined {
  const added = missingFrom(before, after)
  const removed = missingFrom(after, before)
  if (added.length === 0 && removed.length === 0) return undefined
  return { name: 'catalog.reloaded', added: namesOf(added), removed: namesOf(removed) }
}

function namesOf(operations: readonly ProductOperation[]): string[] | undefined {
  const names = operations.slice(0, MAX_NAMED).map(({ product, scope }) => `${product}/${scope}`)
  const more = operations.length - names.length
  if (more > 0) names.push(`and ${more} more`)
  return names.length > 0 ? names : undefined
}
