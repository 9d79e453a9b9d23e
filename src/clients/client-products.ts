import type { Catalog } from '../catalog/catalog.ts'
import { directScopes } from '../catalog/resolve-scopes.ts'
import { GatehouseError } from '../errors.ts'
import type { Client } from './client.ts'

/** How much scope a token may carry. */
export interface ScopeLimit {
  /** Bytes of the space-delimited `scope` at most. */
  readonly maxBytes: number
  /** Scopes that a token of such a client may carry besides its operations. */
  readonly otherScopes: readonly string[]
}

type Products = Pick<Client, 'products' | 'removedOperations'>

// What follows answers the client after a change, or undefined where there is nothing to change.

/**
 * Adds a product with all its operations.
 *
 * @throws {GatehouseError} `ERR_INVALID_ARGUMENT`, `ERR_SCOPE_TOO_LARGE`
 */
export function addProduct<C extends Client>(
  client: C,
  product: string,
  catalog: Catalog,
  limit: ScopeLimit,
): C | undefined {
  if (client.products.includes(product)) return undefined
  requireKnownProduct(catalog, product)
  const changed = { ...client, products: [...client.products, product] }
  requireFits(changed, catalog, limit, client)
  return changed
}

/**
 * Takes a product off. Operations that had been taken off and that no other of its products has are
 * forgotten: whoever adds the product again gets all of it.
 *
 * @throws {GatehouseError} `ERR_INVALID_ARGUMENT`
 */
export function removeProduct<C extends Client>(client: C, product: string, catalog: Catalog): C | undefined {
  if (!client.products.includes(product)) {
    requireKnownProduct(catalog, product)
    return undefined
  }
  const products = client.products.filter((id) => id !== product)
  const gone = new Set(scopesOf(catalog, [product]))
  for (const scope of scopesOf(catalog, products)) gone.delete(scope)
  const removedOperations = client.removedOperations.filter((scope) => !gone.has(scope))
  return { ...client, products, removedOperations }
}

/**
 * Takes one operation off, while its products stay.
 *
 * @throws {GatehouseError} `ERR_INVALID_ARGUMENT` if none of its products has the operation
 */
export function removeOperation<C extends Client>(client: C, scope: string, catalog: Catalog): C | undefined {
  if (client.removedOperations.includes(scope)) return undefined
  requireInProducts(client, scope, catalog)
  return { ...client, removedOperations: [...client.removedOperations, scope] }
}

/**
 * Gives an operation back that was taken off.
 *
 * @throws {GatehouseError} `ERR_INVALID_ARGUMENT` if none of its products has the operation,
 *   `ERR_SCOPE_TOO_LARGE`
 */
export function restoreOperation<C extends Client>(
  client: C,
  scope: string,
  catalog: Catalog,
  limit: ScopeLimit,
): C | undefined {
  if (!client.removedOperations.includes(scope)) {
    requireInProducts(client, scope, catalog)
    return undefined
  }
  const changed = {
    ...client,
    removedOperations: client.removedOperations.filter((removed) => removed !== scope),
  }
  requireFits(changed, catalog, limit, client)
  return changed
}

/**
 * Rejects what would not fit the header of an API call, where somebody can still do something about it.
 *
 * @param before what it had until now: a change that adds nothing is never rejected
 * @throws {GatehouseError} `ERR_SCOPE_TOO_LARGE` with the numbers
 */
export function requireFits(
  client: Products,
  catalog: Catalog,
  limit: ScopeLimit,
  before: Products = { products: [], removedOperations: [] },
): void {
  const bytes = scopeBytes(client, catalog, limit)
  if (bytes <= limit.maxBytes || bytes <= scopeBytes(before, catalog, limit)) return
  throw new GatehouseError(
    'ERR_SCOPE_TOO_LARGE',
    `with that, tokens would carry ${bytes} bytes of scope, and ${limit.maxBytes} are allowed (maxScopeBytes), so that they fit the header of a request. Remove operations that are not needed first, or split the products between several clients`,
  )
}

/** What is wrong with `product` as a product to add; undefined if it is one. */
export function findProductProblem(catalog: Catalog, product: unknown): string | undefined {
  if (typeof product === 'string' && catalog.products.has(product)) return undefined
  const known = [...catalog.products.keys()].slice(0, 10).join(', ')
  return `must be one of the products: ${known === '' ? 'there are none' : known}`
}

/** What is wrong with `scope` as an operation to take off products that have `scopes`; undefined if it is one of them. */
export function findOperationProblem(scopes: ReadonlySet<string>, scope: unknown): string | undefined {
  if (typeof scope === 'string' && scopes.has(scope)) return undefined
  return 'must be an operation of one of its products'
}

function requireKnownProduct(catalog: Catalog, product: string): void {
  refuse('product', findProductProblem(catalog, product))
}

function requireInProducts(client: Client, scope: string, catalog: Catalog): void {
  refuse('scope', findOperationProblem(new Set(scopesOf(catalog, client.products)), scope))
}

function refuse(path: string, message: string | undefined): void {
  if (message === undefined) return
  throw new GatehouseError('ERR_INVALID_ARGUMENT', `${path} ${message}`, { problems: [{ path, message }] })
}

/** Every scope of the products, whether it was taken off or not. */
export function scopesOf(catalog: Catalog, products: readonly string[]): readonly string[] {
  return directScopes(catalog, { products, removedOperations: [] })
}

function scopeBytes(client: Products, catalog: Catalog, { otherScopes }: ScopeLimit): number {
  return Buffer.byteLength([...otherScopes, ...directScopes(catalog, client)].join(' '))
}
