import type { Catalog } from './catalog.ts'

export type ProductScopes = { readonly [product: string]: readonly string[] }

export interface ProductOperation {
  readonly product: string
  readonly scope: string
}

/** The operations of a catalog's products. */
export function productScopesOf({ products }: Pick<Catalog, 'products'>): ProductScopes {
  return Object.fromEntries(
    [...products.values()].map(({ id, operations }) => [id, operations.map(({ scope }) => scope)]),
  )
}

/** Compares the operations of products: those of `wanted` that are missing from `available`. */
export function missingFrom(available: ProductScopes, wanted: ProductScopes): ProductOperation[] {
  return Object.entries(wanted).flatMap(([product, scopes]) => {
    const present = new Set(scopesOf(available, product))
    return scopes.filter((scope) => !present.has(scope)).map((scope) => ({ product, scope }))
  })
}

export function isSameAs(one: ProductScopes, other: ProductScopes): boolean {
  return missingFrom(one, other).length === 0 && missingFrom(other, one).length === 0
}

export function scopesOf(products: ProductScopes, product: string): readonly string[] {
  return Object.hasOwn(products, product) ? (products[product] ?? []) : []
}
