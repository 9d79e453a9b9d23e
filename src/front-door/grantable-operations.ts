import type { CurrentCatalog } from '../catalog/catalog.ts'
import { directScopes, limitToPerson } from '../catalog/resolve-scopes.ts'
import { scopesOf } from '../clients/client-products.ts'
import type { Client } from '../clients/client.ts'
import type { Account } from '../host/accounts.ts'
import type { HostAccounts } from '../host/host-accounts.ts'
import type { Caller } from './access.ts'
import { Rejection } from './rejection.ts'

// An API key that belongs to an account may use all operations of its products. If the host allows a member only some
// operations, the member must not give other operations to an API key. This is also true for the API key of a person,
// because the key may belong to the account later. The operations of an application are limited by the person who
// authorizes it.

interface Parts {
  readonly accounts: Pick<HostAccounts, 'find' | 'clientsBelongTo'>
  readonly catalog: CurrentCatalog
}

/** The owner of a client that the caller creates, and the user who created it. */
export function ownerOfNew({ accounts }: Pick<Parts, 'accounts'>, { accountId, userId }: Caller) {
  const isPersonal = accounts.clientsBelongTo === 'user'
  return { accountId, userId: isPersonal ? userId : undefined, createdBy: userId }
}

/** The operations of products that the caller may not give to an API key. */
export async function operationsBeyond(
  { accounts, catalog }: Parts,
  caller: Caller,
  kind: Client['kind'],
  products: readonly string[],
): Promise<string[]> {
  if (kind === 'application') return []
  const scopes = scopesOf(catalog.current, products)
  const allowed = new Set(limitToPerson(await findMember(accounts, caller), scopes))
  return scopes.filter((scope) => !allowed.has(scope))
}

/**
 * Requires that the caller may give an operation to a client.
 *
 * @throws {Rejection} `forbidden`
 */
export async function requireOperation(
  { accounts }: Parts,
  caller: Caller,
  { kind }: Pick<Client, 'kind'>,
  scope: string,
): Promise<void> {
  if (kind === 'application') return
  const [allowed] = limitToPerson(await findMember(accounts, caller), [scope])
  if (allowed === undefined) throw new Rejection('forbidden', { needs: scope })
}

/**
 * Rejects a hand-over if the API key would get an operation that the caller may not use. The caller may know the secret
 * of the key, and could then use this operation.
 *
 * @param userId the new owner; null for the account
 * @throws {Rejection} `forbidden`
 */
export async function requireHandOver(
  { accounts, catalog }: Parts,
  caller: Caller,
  client: Client,
  userId: string | null,
): Promise<void> {
  if (client.kind === 'application') return
  const [member, receiver] = await Promise.all([
    findMember(accounts, caller),
    findMember(accounts, { accountId: caller.accountId, userId: userId ?? undefined }),
  ])
  const gets = limitToPerson(receiver, directScopes(catalog.current, client))
  const allowed = new Set(limitToPerson(member, gets))
  const needs = gets.find((scope) => !allowed.has(scope))
  if (needs !== undefined) throw new Rejection('forbidden', { needs })
}

/**
 * The operations that a member of an account may use. The account itself may use all operations. A member whom the host
 * does not find may use none.
 */
async function findMember(
  accounts: Pick<HostAccounts, 'find'>,
  { accountId, userId }: Pick<Caller, 'accountId' | 'userId'>,
): Promise<Pick<Account, 'operations'>> {
  if (userId === undefined) return {}
  return (await accounts.find(accountId, userId)) ?? { operations: [] }
}
