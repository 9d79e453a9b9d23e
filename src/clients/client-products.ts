import type { Catalog } from '../catalog/catalog.ts'
import { directScopes } from '../catalog/resolve-scopes.ts'
import { GatehouseError, invalidArgument, type Fault } from '../errors.ts'
import { MAX_ENTRIES, uniqueListOf, type Rule } from '../validation/rules.ts'
import type { Client } from './client.ts'

/** In bytes of the space-delimited `scope`. A token must fit the header of a request. */
export const MAX_SCOPE_BYTES = 4096

type Products = Pick<Client, 'products' | 'removedOperations'>

// The exported functions that change a client return the changed client, or undefined if there is nothing to change.
// `otherScopes` are what tokens carry in addition to operations: for applications, the OpenID Connect scopes.

/** The new list replaces the old one. @throws {GatehouseError} `ERR_SCOPE_TOO_LARGE` */
export function setProducts<C extends Client>(
  client: C,
  products: readonly string[],
  catalog: Catalog,
  otherScopes: readonly string[],
): C | undefined {
  const lost = lostProducts(client, products)
  if (lost.length === 0 && products.length === client.products.length) return undefined
  const kept = lost.reduce((before, product) => removeProduct(before, product, catalog) ?? before, client)
  const changed = { ...kept, products: [...products] }
  requireFits(changed, catalog, otherScopes, client)
  return changed
}

export function lostProducts(client: Products, products: readonly string[]): readonly string[] {
  return client.products.filter((product) => !products.includes(product))
}

/** Adds a product with its operations. @throws {GatehouseError} `ERR_INVALID_ARGUMENT`, `ERR_SCOPE_TOO_LARGE` */
export function addProduct<C extends Client>(
  client: C,
  product: string,
  catalog: Catalog,
  {
    otherScopes,
    removedOperations = [],
  }: { readonly otherScopes: readonly string[]; readonly removedOperations?: readonly string[] | undefined },
): C | undefined {
  if (client.products.includes(product)) return undefined
  requireKnownProduct(catalog, product)
  const added = new Set(scopesOf(catalog, [product]))
  for (const scope of removedOperations) requireIn(added, scope, 'removedOperations')
  const has = new Set(directScopes(catalog, client))
  const removed = removedOperations.filter((scope) => !has.has(scope))
  const changed = {
    ...client,
    products: [...client.products, product],
    removedOperations: [...new Set([...client.removedOperations, ...removed])],
  }
  requireFits(changed, catalog, otherScopes, client)
  return changed
}

/** Added again, the product has all its operations. @throws {GatehouseError} `ERR_INVALID_ARGUMENT` */
export function removeProduct<C extends Client>(client: C, product: string, catalog: Catalog): C | undefined {
  if (!client.products.includes(product)) {
    requireKnownProduct(catalog, product)
    return undefined
  }
  const products = client.products.filter((id) => id !== product)
  const lost = new Set(scopesOf(catalog, [product]))
  for (const scope of scopesOf(catalog, products)) lost.delete(scope)
  const removedOperations = client.removedOperations.filter((scope) => !lost.has(scope))
  return { ...client, products, removedOperations }
}

/** @throws {GatehouseError} `ERR_INVALID_ARGUMENT` if none of the client's products has the operation */
export function removeOperation<C extends Client>(client: C, scope: string, catalog: Catalog): C | undefined {
  if (client.removedOperations.includes(scope)) return undefined
  requireIn(new Set(scopesOf(catalog, client.products)), scope, 'scope')
  return { ...client, removedOperations: [...client.removedOperations, scope] }
}

/** @throws {GatehouseError} `ERR_INVALID_ARGUMENT` if no product has the operation, `ERR_SCOPE_TOO_LARGE` */
export function restoreOperation<C extends Client>(
  client: C,
  scope: string,
  catalog: Catalog,
  otherScopes: readonly string[],
): C | undefined {
  if (!client.removedOperations.includes(scope)) {
    requireIn(new Set(scopesOf(catalog, client.products)), scope, 'scope')
    return undefined
  }
  const changed = {
    ...client,
    removedOperations: client.removedOperations.filter((removed) => removed !== scope),
  }
  requireFits(changed, catalog, otherScopes, client)
  return changed
}

/** A change that does not make the scope longer than `before` is never rejected. @throws `ERR_SCOPE_TOO_LARGE` */
export function requireFits(
  client: Products,
  catalog: Catalog,
  otherScopes: readonly string[],
  before: Products = { products: [], removedOperations: [] },
): void {
  const bytes = scopeBytes(client, catalog, otherScopes)
  if (bytes <= MAX_SCOPE_BYTES || bytes <= scopeBytes(before, catalog, otherScopes)) return
  throw new GatehouseError(
    'ERR_SCOPE_TOO_LARGE',
    `tokens of this client would carry ${bytes} bytes of scope, but at most ${MAX_SCOPE_BYTES} bytes are allowed, because a token must fit the header of a request. First remove operations that are not needed, or split the products between several clients`,
  )
}

/** Products may grow after a client was created. */
export function isOversized(client: Products, catalog: Catalog): boolean {
  return scopeBytes(client, catalog, []) > MAX_SCOPE_BYTES
}

function findProductProblem(catalog: Catalog, product: unknown): Fault | undefined {
  if (typeof product === 'string' && catalog.products.has(product)) return undefined
  const known = [...catalog.products.keys()].slice(0, 10).join(', ')
  return {
    code: 'not-found',
    message: `must be one of the products: ${known === '' ? 'there are none' : known}`,
  }
}

function findOperationProblem(scopes: ReadonlySet<string>, scope: unknown): Fault | undefined {
  if (typeof scope === 'string' && scopes.has(scope)) return undefined
  return { code: 'not-found', message: "must be an operation of one of the client's products" }
}

export function productsRule(catalog: Catalog): Rule {
  return uniqueListOf((product) => findProductProblem(catalog, product))
}

/** For operations that are removed from a new client. @param products not validated yet */
export function operationsRule(catalog: Catalog, products: unknown): Rule {
  const isChecked = Array.isArray(products) && products.length <= MAX_ENTRIES
  const ids = isChecked ? products.filter((product) => typeof product === 'string') : []
  // Computed once for all entries, so that the check takes linear time.
  const scopes = new Set(scopesOf(catalog, ids))
  return uniqueListOf((scope) => findOperationProblem(scopes, scope))
}

function requireKnownProduct(catalog: Catalog, product: string): void {
  const found = findProductProblem(catalog, product)
  if (found !== undefined) throw invalidArgument('product', found)
}

function requireIn(scopes: ReadonlySet<string>, scope: string, path: string): void {
  const found = findOperationProblem(scopes, scope)
  if (found !== undefined) throw invalidArgument(path, found)
}

/** Includes the operations that were removed from a client. */
export function scopesOf(catalog: Catalog, products: readonly string[]): readonly string[] {
  return directScopes(catalog, { products, removedOperations: [] })
}

function scopeBytes(client: Products, catalog: Catalog, otherScopes: readonly string[]): number {
  return Buffer.byteLength([...otherScopes, ...directScopes(catalog, client)].join(' '))
}
