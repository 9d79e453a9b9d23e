import type { CatalogRecord, WithdrawnScope } from '../catalog/sync/catalog-record.ts'
import { lacking } from '../catalog/product-scopes.ts'

/**
 * The record of what products give, once tokens of another store are in force here too. What they give stays as it is
 * here. So what they gave there and do not give here is withdrawn with an epoch of its own, as if they had been changed
 * there; and what was withdrawn there stays dead.
 *
 * The epochs of two stores cannot be told apart: where an operation was withdrawn in one and given again, tokens of the
 * other that carry it may be dead too, and clients get new ones.
 *
 * @param other as it was in the other store
 * @param at.until epoch seconds at which the last token that is issued now has expired
 * @returns undefined where all of that is so already
 */
export function mergeCatalogs(
  own: CatalogRecord,
  other: CatalogRecord,
  at: { readonly generation: string; readonly now: number; readonly until: number },
): CatalogRecord | undefined {
  const { generation, now, until } = at
  const withdrawnHere = (scope: string) => own.withdrawn.find((each) => each.scope === scope)
  const left = lacking(own.products, other.products)
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
  return { generation, epoch, products: own.products, withdrawn: [...withdrawn.values()] }
}

function covers(known: WithdrawnScope | undefined, other: WithdrawnScope): boolean {
  return known !== undefined && known.below >= other.below && known.until >= other.until
}

function strongest(one: WithdrawnScope, other: WithdrawnScope): WithdrawnScope {
  const { scope } = one
  return { scope, below: Math.max(one.below, other.below), until: Math.max(one.until, other.until) }
}
