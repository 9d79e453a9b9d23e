import type { Catalog } from '../catalog/catalog.ts'
import { isClientId, newClientId } from './client-id.ts'
import type { Client } from './client.ts'
import { findOperationProblem, findProductProblem, requireFits, scopesOf } from './client-products.ts'
import type { NewClient } from './client-service-types.ts'
import { changeFields } from '../host/change-options.ts'
import { insertClient, type ClientRepository } from './client-repository.ts'
import {
  type Fields,
  hostIdRule,
  MAX_ENTRIES,
  nameRule,
  optional,
  type Rule,
  uniqueListOf,
} from '../validation/rules.ts'
import { hashSecret, isSecretHash, newSecret } from './secrets.ts'

/** The rule for the hash of a secret in the input of a host. */
export const secretHashRule: Rule = (value) =>
  isSecretHash(value) ? undefined : 'must be what hashSecret() returns: "sha256:" and 43 characters'

/** The rule for a list of products. */
export function productsRule(catalog: Catalog): Rule {
  return uniqueListOf((product) => findProductProblem(catalog, product))
}

/** Rules for the input of every new client. */
export function newClientFields(catalog: Catalog, input: unknown): Fields {
  // The set of scopes is computed once for all entries of `removedOperations`, so that the check takes linear
  // time.
  const scopes = new Set(scopesOf(catalog, productsOf(input)))
  return {
    accountId: hostIdRule,
    userId: optional(hostIdRule),
    name: nameRule,
    products: optional(productsRule(catalog)),
    removedOperations: optional(uniqueListOf((scope) => findOperationProblem(scopes, scope))),
    clientId: optional((value) =>
      isClientId(value) ? undefined : 'must have 1 to 200 characters; letters, digits and ._~@=- are allowed',
    ),
    secretHash: optional(secretHashRule),
    ...changeFields,
  }
}

/** The fields that every new client has, from validated input. */
export function newClient(kind: Client['kind'], input: NewClient) {
  return {
    clientId: input.clientId ?? newClientId(kind),
    accountId: input.accountId,
    ...(input.userId !== undefined && { userId: input.userId }),
    name: input.name.trim(),
    products: [...(input.products ?? [])],
    removedOperations: [...(input.removedOperations ?? [])],
    disabled: false,
    epoch: 0,
    createdAt: Math.floor(Date.now() / 1000),
  }
}

/**
 * Stores a new client with its first secret: a new secret, or the hash of an existing secret.
 *
 * @returns the new secret; undefined for an existing secret
 * @throws {GatehouseError} `ERR_CONFLICT`, `ERR_SCOPE_TOO_LARGE`
 */
export async function insertNewClient<C extends Client>(
  clients: ClientRepository<C>,
  client: C,
  { secretHash, ...input }: NewClient & { readonly secretHash?: string | undefined },
  catalog: Catalog,
  otherScopes: readonly string[],
): Promise<string | undefined> {
  requireFits(client, catalog, otherScopes)
  const clientSecret = secretHash === undefined ? newSecret() : undefined
  const hash = secretHash ?? hashSecret(clientSecret ?? '')
  await insertClient(clients, client, [{ hash, createdAt: client.createdAt }], input)
  return clientSecret
}

/** The product ids of an input that is not validated yet. Entries that are not texts are left out. */
function productsOf(input: unknown): readonly string[] {
  const { products } = Object(input) as { products?: unknown }
  if (!Array.isArray(products) || products.length > MAX_ENTRIES) return []
  return products.filter((product) => typeof product === 'string')
}
