import type { CatalogRecord, WithdrawnScope } from '../catalog/sync/catalog-record.ts'
import { missingFrom } from '../catalog/product-scopes.ts'

/**
 * Merges the catalog records of two stores, so that tokens of the other store can be verified here. The own products
 * stay unchanged. Operations that only the other products had are revoked with a new epoch. Operations that were revoked
 * in the other store stay revoked.
 *
 * The epochs of two stores cannot be distinguished. If an operation was removed in one store and added again, tokens of
 * the other store with that operation may be revoked too, and clients obtain new ones.
 *
 * @param other the record of the other store
 * @param at.until epoch seconds at which the last token issued now has expired
 * @returns undefined if the own record already covers the other one
 */
export function mergeCatalogs(
  own: CatalogRecord,
  other: CatalogRecord,
  at: { readonly version: string; readonly now: number; readonly until: number },
): CatalogRecord | undefined {
  const { version, now, until } = at
  const withdrawnHere = (scope: string) => own.withdrawn.find((each) => each.scope === scope)
  const left = missingFrom(own.products, other.products)
    .map(({ scope }) => scope)
    .filter((scope) => (withdrawnHere(scope)?.below ?? 0) <= other.epoch)
  const more = other.withdrawn.filter((each) => each.until > now && !covers(withdrawnHere(each.scope), each))
  if (left.length === 0 && more.length === 0 && own.epoch >= other.epoch) return undefined

  const epoch = Math.max(own.epoch, other.epoch) + (left.length > 0 ? 1 : 0)
  const withdrawn = new Map<string, WithdrawnScope>()
  const added = left.map((scope) => ({ scope, below: epoch, until }))
  for (const each of [...own.withdrawn, ...more, ...added]) {
    const known = withdrawn.get(each.scope)
    withdrawn.set(each.scope, known ? strongest(known, each) : each)
  }
  return { version, epoch, products: own.products, withdrawn: [...withdrawn.values()] }
}

function covers(known: WithdrawnScope | undefined, other: WithdrawnScope): boolean {
  return known !== undefined && known.below >= other.below && known.until >= other.until
}

function strongest(one: WithdrawnScope, other: WithdrawnScope): WithdrawnScope {
  const { scope } = one
  return { scope, below: Math.max(one.below, other.below), until: Math.max(one.until, other.until) }
}
