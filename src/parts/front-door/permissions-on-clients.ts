import { directScopes, limitToPerson } from '../../catalog/resolve-scopes.ts'
import { isGatewayKey, type Client, type ClientChanges, type NewClient } from '../../clients/client.ts'
import type { Permission, SignedIn } from '../../host/accounts.ts'
import { type RejectionDetails, Rejection } from './rejection.ts'
import type { CurrentCatalog } from '../../catalog/catalog.ts'
import { scopesOf } from '../../clients/client-products.ts'
import type { HostAccounts } from '../../host/host-accounts.ts'

/** The permissions that they need instead. `remove` is that of a secret or public key. */
const ACTS_WITHOUT_PERMISSION = {
  give: 'write',
  handOver: 'write',
  handToAccount: 'write',
  report: 'write',
  remove: 'rotate',
}

/** What a caller may do with a client. */
export type Act = 'read' | 'create' | 'write' | 'rotate' | 'delete' | keyof typeof ACTS_WITHOUT_PERMISSION

export type Right = Permission | `${'keys' | 'applications'}:${Act}`

/** The beginning of the names of permissions on clients of a kind. */
export const PERMISSIONS = { apiKey: 'keys', application: 'applications' } as const

export function rightTo<A extends Act>(act: A, kind: Client['kind']) {
  return `${PERMISSIONS[kind]}:${act}` as const
}

export function permissionOf(right: Right): Permission {
  const [of, act = ''] = right.split(':')
  return `${of}:${ACTS_WITHOUT_PERMISSION[act as keyof typeof ACTS_WITHOUT_PERMISSION] ?? act}` as Permission
}

/**
 * What a caller lacks to do something with an API key, although `accounts.can` allows it. A program with a secret acts
 * as the user of the key, or uses all operations of the account's key. With `resourceServer`, it introspects all
 * tokens. So a member gets no secret of a key that acts as another user, or that may do more than the member.
 */
export async function findLimit(
  parts: GrantParts,
  { caller, isOperator }: { readonly caller: Member; isOperator(): Promise<boolean> },
  client: Client,
  right: Right,
): Promise<RejectionDetails | undefined> {
  const [, act = ''] = right.split(':')
  if (client.kind === 'application' || act === 'read' || act === 'report') return undefined
  const isGateway = isGatewayKey(client)
  const givesSecret = ['rotate', 'handOver', 'handToAccount'].includes(act)
  const isForOperators = isGateway || (client.resourceServer && givesSecret)
  if (isForOperators && !(await isOperator())) return { limit: 'operator' }
  if (isGateway || (act !== 'give' && !givesSecret)) return undefined
  const { accountId, userId } = client
  if (userId !== undefined && userId !== caller.userId) {
    if (!act.startsWith('hand') || (await parts.accounts.find(accountId, userId))) return { limit: 'owner' }
  }
  if (act !== 'handToAccount' && (act !== 'rotate' || userId !== undefined)) return undefined
  const [needs] = await scopesBeyond(parts, caller, directScopes(parts.catalog.current, client))
  return needs === undefined ? undefined : { needs }
}

/** Whether the client can then be used longer, or from other addresses. */
export function givesMore(
  { expiresAt: end = Infinity, allowedAddresses: present = [] }: Client,
  { expiresAt, allowedAddresses: changed = present }: ClientChanges,
): boolean {
  const isLonger = expiresAt !== undefined && (expiresAt ?? Infinity) > end
  const isWider = changed.length === 0 || changed.some((each) => !present.includes(each))
  return isLonger || (isWider && present.length > 0)
}

// An API key that belongs to an account may use all operations of its products. If the host allows a member only some
// operations, the member must not give other operations to an API key. This is also true for the API key of a person,
// because the key may belong to the account later. The operations of an application are limited by the person who
// authorizes it.

export type Member = Pick<SignedIn, 'accountId' | 'userId'>

export interface GrantParts {
  readonly accounts: Pick<HostAccounts, 'find' | 'clientsBelongTo'>
  readonly catalog: CurrentCatalog
}

/** Only operators may create the API key of a resource server, such as that of a gateway. */
export function onlyOperatorsCreate({ resourceServer }: { resourceServer?: boolean | undefined }): boolean {
  return resourceServer === true
}

/** The owner of a new client, and the operations that it does not get because of its products and the caller. */
export async function ownerOfNew(
  parts: GrantParts,
  caller: Member,
  kind: Client['kind'],
  { products = [], removedOperations = [] }: Pick<NewClient, 'products' | 'removedOperations'>,
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
async function scopesBeyond(
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
export async function requireOperation(parts: GrantParts, caller: Member, { kind }: Client, scope: string) {
  if (kind === 'application') return
  const [beyond] = await scopesBeyond(parts, caller, [scope])
  if (beyond !== undefined) throw new Rejection('forbidden', { needs: scope })
}
