import type { CurrentCatalog } from '../../catalog/catalog.ts'
import { limitToPerson } from '../../catalog/resolve-scopes.ts'
import { scopesOf } from '../../clients/client-products.ts'
import type { Client } from '../../clients/client.ts'
import type { SignedIn } from '../../host/accounts.ts'
import type { HostAccounts } from '../../host/host-accounts.ts'
import { Rejection } from './rejection.ts'

// An API key that belongs to an account may use all operations of its products. If the host allows a member only some
// operations, the member must not give other operations to an API key. This is also true for the API key of a person,
// because the key may belong to the account later. The operations of an application are limited by the person who
// authorizes it.

export type Member = Pick<SignedIn, 'accountId' | 'userId'>

export interface GrantParts {
  readonly accounts: Pick<HostAccounts, 'find' | 'clientsBelongTo'>
  readonly catalog: CurrentCatalog
}

/** The owner of a new client, and the operations that it does not get because of its products and the caller. */
export async function ownerOfNew(
  parts: GrantParts,
  caller: Member,
  kind: Client['kind'],
  {
    products = [],
    removedOperations = [],
  }: { readonly [name in 'products' | 'removedOperations']?: readonly string[] | undefined },
) {
  const { accountId, userId } = caller
  const beyond = await operationsBeyond(parts, caller, kind, products)
  return {
    accountId,
    userId: parts.accounts.clientsBelongTo === 'user' ? userId : undefined,
    createdBy: userId,
    removedOperations: [...new Set([...removedOperations, ...beyond])],
  }
}

export async function operationsBeyond(
  parts: GrantParts,
  caller: Member,
  kind: Client['kind'],
  products: readonly string[],
): Promise<string[]> {
  return kind === 'application' ? [] : scopesBeyond(parts, caller, scopesOf(parts.catalog.current, products))
}

/** The scopes that the caller may not use. A member whom the host does not find may use none. */
export async function scopesBeyond(
  { accounts }: Pick<GrantParts, 'accounts'>,
  { accountId, userId }: Member,
  scopes: readonly string[],
): Promise<string[]> {
  if (userId === undefined) return []
  const member = (await accounts.find(accountId, userId)) ?? { operations: [] }
  const allowed = new Set(limitToPerson(member, scopes))
  return scopes.filter((scope) => !allowed.has(scope))
}

/** @throws {Rejection} `forbidden` */
export async function requireOperation(
  parts: Pick<GrantParts, 'accounts'>,
  caller: Member,
  { kind }: Pick<Client, 'kind'>,
  scope: string,
): Promise<void> {
  if (kind === 'application') return
  const [beyond] = await scopesBeyond(parts, caller, [scope])
  if (beyond !== undefined) throw new Rejection('forbidden', { needs: scope })
}
