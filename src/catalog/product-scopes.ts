import type { Catalog } from './catalog.ts'

/** The operations of each product: scopes by product id. */
export type ProductScopes = { readonly [product: string]: readonly string[] }

/** An operation of a product. */
export interface GivenOperation {
  readonly product: string
  readonly scope: string
}

/** The operations of a catalog's products. */
export function productScopesOf({ products }: Pick<Catalog, 'products'>): ProductScopes {
  return Object.fromEntries(
    [...products.values()].map(({ id, operations }) => [id, operations.map(({ scope }) => scope)]),
  )
}

/** The operations that `given` has and `other` lacks. */
export function lacking(other: ProductScopes, given: ProductScopes): GivenOperation[] {
  return Object.entries(given).flatMap(([product, scopes]) => {
    const there = new Set(scopesOf(other, product))
    return scopes.filter((scope) => !there.has(scope)).map((scope) => ({ product, scope }))
  })
}

/** Whether both have the same operations, in any order. */
export function isSameAs(one: ProductScopes, other: ProductScopes): boolean {
  return lacking(one, other).length === 0 && lacking(other, one).length === 0
}

/** The scopes of one product; none if the product does not exist. */
export function scopesOf(given: ProductScopes, product: string): readonly string[] {
  return Object.hasOwn(given, product) ? (given[product] ?? []) : []
}
