import type { Catalog } from './catalog.ts'

/** Which product gives which operations: scopes by product id. */
export type ProductScopes = { readonly [product: string]: readonly string[] }

/** That a product gives an operation. */
export interface GivenOperation {
  readonly product: string
  readonly scope: string
}

/** What the products of a catalog give. */
export function productScopesOf({ products }: Pick<Catalog, 'products'>): ProductScopes {
  return Object.fromEntries(
    [...products.values()].map(({ id, operations }) => [id, operations.map(({ scope }) => scope)]),
  )
}

/** What `given` has and `other` lacks. */
export function lacking(other: ProductScopes, given: ProductScopes): GivenOperation[] {
  return Object.entries(given).flatMap(([product, scopes]) => {
    const there = new Set(scopesOf(other, product))
    return scopes.filter((scope) => !there.has(scope)).map((scope) => ({ product, scope }))
  })
}

/** Whether both have the same, in whatever order. */
export function isSameAs(one: ProductScopes, other: ProductScopes): boolean {
  return lacking(one, other).length === 0 && lacking(other, one).length === 0
}

/** The scopes of one product; none if it is not there. */
export function scopesOf(given: ProductScopes, product: string): readonly string[] {
  return Object.hasOwn(given, product) ? (given[product] ?? []) : []
}
