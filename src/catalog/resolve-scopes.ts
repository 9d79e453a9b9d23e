import type { Catalog, Operation } from './catalog.ts'
import type { Account } from '../host/accounts.ts'

export interface ScopeHolder {
  readonly kind: 'apiKey' | 'application'
  /** Ids of the client's products. A product that is not in the catalog adds no scopes. */
  readonly products: readonly string[]
  /** Scopes that were removed from the client although one of its products has them. */
  readonly removedOperations: readonly string[]
}

/** In the catalog's order. */
export function directScopes(catalog: Catalog, client: Omit<ScopeHolder, 'kind'>): string[] {
  return operationsOf(catalog, client).map(({ scope }) => scope)
}

/** What an application may request on behalf of users, in the catalog's order. @param kycLevel of its developer */
export function applicationScopes(
  catalog: Catalog,
  client: Omit<ScopeHolder, 'kind'>,
  kycLevel: string | undefined,
): string[] {
  const allowed = operationsOf(catalog, client).filter((operation) =>
    hasRequiredKycLevel(catalog, kycLevel, operation),
  )
  return allowed.map(({ scope }) => scope)
}

/** The scopes that a person may use, in the given order. */
export function limitToPerson(
  { operations }: Pick<Account, 'operations'>,
  scopes: readonly string[],
): readonly string[] {
  if (operations === undefined) return scopes
  const allowed = new Set(operations)
  return scopes.filter((scope) => allowed.has(scope))
}

/** In the given order. The key of a user is limited to the operations of this user (`owner`). */
export function limitToOwner(
  { userId }: { readonly userId?: string | undefined },
  owner: Pick<Account, 'operations'>,
  scopes: readonly string[],
): readonly string[] {
  return userId === undefined ? scopes : limitToPerson(owner, scopes)
}

/**
 * Which scopes products, KYC level and user leave to a client: why it may not have one, for `error_description`, in the
 * characters that RFC 6749 5.2 allows; undefined if it may. `kycLevel` is ignored for API keys.
 */
export function explainRejection(
  catalog: Catalog,
  client: ScopeHolder,
  kycLevel: string | undefined,
  scope: string,
): string | undefined {
  const holder = client.kind === 'apiKey' ? 'API key' : 'application'
  const operation = catalog.operations.get(scope)
  if (operation === undefined) return describe(`the operation ${shorten(scope)} does not exist`)

  const having = [...catalog.products.values()].filter(({ operations }) => operations.includes(operation))
  if (!having.some(({ id }) => client.products.includes(id))) {
    const names = having.map(({ id }) => id)
    const which = names.length === 1 ? `the product ${names[0]}` : `one of the products ${names.join(', ')}`
    return describe(`the operation ${scope} is in no product of this ${holder}; add ${which}`)
  }
  if (client.removedOperations.includes(scope)) {
    return describe(`the operation ${scope} was removed from this ${holder}`)
  }
  if (client.kind === 'application' && !hasRequiredKycLevel(catalog, kycLevel, operation)) {
    return describe(`the operation ${scope} needs the KYC level ${operation.kycLevel} of the developer`)
  }
  return undefined
}

/** Whether a client has an operation that `may` accepts. Costs less than a list of all its scopes. */
export function hasOperation(
  catalog: Catalog,
  { products, removedOperations }: Omit<ScopeHolder, 'kind'>,
  may: (operation: Operation) => boolean = () => true,
): boolean {
  return products.some((id) =>
    catalog.products
      .get(id)
      ?.operations.some((operation) => !removedOperations.includes(operation.scope) && may(operation)),
  )
}

/** The operations of each holder in each catalog: token requests of the same client ask again and again. */
const known = new WeakMap<Catalog, WeakMap<object, readonly Operation[]>>()

export function operationsOf(catalog: Catalog, client: Omit<ScopeHolder, 'kind'>): readonly Operation[] {
  const ofCatalog = known.get(catalog) ?? new WeakMap<object, readonly Operation[]>()
  const operations = ofCatalog.get(client) ?? findOperations(catalog, client)
  known.set(catalog, ofCatalog.set(client, operations))
  return operations
}

function findOperations(catalog: Catalog, client: Omit<ScopeHolder, 'kind'>): readonly Operation[] {
  const available = new Set(client.products.flatMap((id) => catalog.products.get(id)?.operations ?? []))
  const removed = new Set(client.removedOperations)
  // In the catalog's order, so that equal sets of scopes give equal lists, whatever the order of the products.
  return [...catalog.operations.values()].filter(
    (operation) => available.has(operation) && !removed.has(operation.scope),
  )
}

function shorten(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}...` : text
}

/** The allowed characters are %x20-21 / %x23-5B / %x5D-7E. */
function describe(sentence: string): string {
  return sentence.replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/gu, '?')
}

/** Whether the KYC level of a developer is sufficient. Undefined or an unknown name counts as the lowest level. */
export function hasRequiredKycLevel(
  { kycLevels }: Pick<Catalog, 'kycLevels'>,
  kycLevel: string | undefined,
  operation: Operation,
): boolean {
  if (operation.kycLevel === undefined) return true
  const has = kycLevel === undefined ? 0 : Math.max(0, kycLevels.indexOf(kycLevel))
  const needs = kycLevels.indexOf(operation.kycLevel)
  // No account reaches a level that is not in `kycLevels`.
  return needs !== -1 && has >= needs
}
