import type { Catalog } from '../catalog/catalog.ts'
import { GatehouseError, isRejection } from '../errors.ts'
import { isClientId, newClientId } from './client-id.ts'
import type { Client } from './client.ts'
import { findOperationProblem, findProductProblem, requireFits, scopesOf } from './client-products.ts'
import type { CreationOptions, NewClient } from './client-service-types.ts'
import { changeFields } from '../host/change-options.ts'
import { findClient, insertClient, presentClient, type ClientRepository } from './client-repository.ts'
import { goneSince, type Attempt } from './idempotency.ts'
import {
  type Fields,
  hostIdRule,
  MAX_ENTRIES,
  nameRule,
  optional,
  type Rule,
  uniqueListOf,
} from '../validation/rules.ts'
import { hashSecret, hasSecretHash, isSecretHash, newSecret } from './secrets.ts'

/** The input for a new client, which may import an existing secret. */
type InputWithSecret = NewClient & { readonly secretHash?: string | undefined }

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
export function newClient(kind: Client['kind'], input: NewClient, attempt: Attempt | undefined) {
  return {
    clientId: attempt?.clientId(kind) ?? input.clientId ?? newClientId(kind),
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
 * Begins an attempt at a creation that may be repeated.
 *
 * @returns undefined without an idempotency key
 * @throws {GatehouseError} `ERR_INVALID_ARGUMENT` for an import, which its client id makes repeatable;
 *   `ERR_IDEMPOTENCY_KEY`, `ERR_IN_PROGRESS`
 */
export async function beginCreation(
  { kind, idempotency }: Pick<ClientRepository<Client>, 'kind' | 'idempotency'>,
  { actor, address: _address, userAgent: _userAgent, ...input }: InputWithSecret,
  { idempotencyKey: key }: CreationOptions,
): Promise<Attempt | undefined> {
  if (key === undefined) return undefined
  if (input.clientId !== undefined || input.secretHash !== undefined) {
    const message = 'cannot be used with clientId or secretHash'
    throw new GatehouseError('ERR_INVALID_ARGUMENT', `idempotencyKey ${message}`, {
      problems: [{ path: 'idempotencyKey', code: 'not-allowed', message }],
    })
  }
  const what = ['create', kind, input.accountId, input.userId, actor]
  return idempotency.begin({ key, what, input })
}

/**
 * Stores a new client with its first secret: a new secret, or the hash of an existing secret.
 *
 * @param attempt of `beginCreation`, if the creation may be repeated
 * @returns the client, which an earlier attempt may have created; the new secret, undefined for an existing secret
 * @throws {GatehouseError} `ERR_CONFLICT`, `ERR_SCOPE_TOO_LARGE`, `ERR_TOO_MANY_CLIENTS`, `ERR_IDEMPOTENCY_KEY`
 */
export async function insertNewClient<C extends Client>(
  clients: ClientRepository<C>,
  { client, input, attempt }: { client: C; input: InputWithSecret; attempt: Attempt | undefined },
  { catalog, otherScopes }: { catalog: Catalog; otherScopes: readonly string[] },
): Promise<{ client: C; clientSecret: string | undefined }> {
  const clientSecret = attempt?.clientSecret ?? (input.secretHash === undefined ? newSecret() : undefined)
  const hash = input.secretHash ?? hashSecret(clientSecret ?? '')
  if (attempt?.isRepeat) return { client: await requireCreated(clients, client, hash), clientSecret }
  try {
    requireFits(client, catalog, otherScopes)
    await insertClient(clients, client, [{ hash, createdAt: client.createdAt }], input)
    await attempt?.complete()
    return { client, clientSecret }
  } catch (error) {
    if (!attempt || !isRejection(error)) throw error
    // An earlier attempt may have created the client, and its answer was lost.
    const created = await findClient(clients, client.clientId)
    await (created ? attempt.complete() : attempt.reject())
    if (created) return { client: await requireCreated(clients, client, hash), clientSecret }
    throw error
  } finally {
    attempt?.end()
  }
}

/**
 * The client that an earlier attempt has created.
 *
 * @throws {GatehouseError} `ERR_IDEMPOTENCY_KEY` if it was deleted, or its secret was revoked
 */
async function requireCreated<C extends Client>(
  clients: ClientRepository<C>,
  { clientId }: C,
  hash: string,
): Promise<C> {
  const record = await clients.records.get(clientId)
  if (!record) throw goneSince('client')
  if (!hasSecretHash(record.secrets, hash)) throw goneSince('secret')
  return presentClient(clients, record)
}

/** The product ids of an input that is not validated yet. Entries that are not texts are left out. */
function productsOf(input: unknown): readonly string[] {
  const { products } = Object(input) as { products?: unknown }
  if (!Array.isArray(products) || products.length > MAX_ENTRIES) return []
  return products.filter((product) => typeof product === 'string')
}
