import { directScopes } from '../catalog/resolve-scopes.ts'
import type { ClientChanges } from '../clients/client-inputs.ts'
import { isGatewayKey, type Client } from '../clients/client.ts'
import type { Permission } from '../host/accounts.ts'
import { scopesBeyond, type GrantParts, type Member } from './grantable-operations.ts'

/** What a caller may do. Of `write`: `give` (access), `handOver`, `handBack` (to the account), `report`. */
export type Right =
  Permission | `${'keys' | 'applications'}:${'give' | 'handOver' | 'handBack' | 'report' | 'remove'}`

/** The permission for which the host is asked. */
export function permissionOf(right: Right): Permission {
  const whole = right.replace(/:(give|handOver|handBack|report)$/, ':write')
  return whole.replace(':remove', ':rotate') as Permission
}

/**
 * What a caller lacks to do something with an API key, although `accounts.can` allows it: a scope, to be its `owner`, or
 * to be an `operator`. A program with a secret acts as the user of the key, or uses all operations of the account's key.
 * So a member gets no secret of a key that acts as another user, or that has operations the member may not use.
 */
export async function findLimit(
  parts: GrantParts,
  { caller, isOperator }: { readonly caller: Member; isOperator(): Promise<boolean> },
  client: Client,
  right: Right,
): Promise<string | undefined> {
  const [, act = ''] = right.split(':')
  if (client.kind === 'application' || act === 'read' || act === 'report') return undefined
  if (isGatewayKey(client)) return (await isOperator()) ? undefined : 'operator'
  if (!['give', 'rotate', 'handOver', 'handBack'].includes(act)) return undefined
  const { accountId, userId } = client
  if (userId !== undefined && userId !== caller.userId) {
    const isHandOver = act.startsWith('hand')
    if (!isHandOver || (await parts.accounts.find(accountId, userId))) return 'owner'
  }
  if (act !== 'handBack' && (act !== 'rotate' || userId !== undefined)) return undefined
  return (await scopesBeyond(parts, caller, directScopes(parts.catalog.current, client)))[0]
}

/** What a change of these fields does: `give` if the client can be used longer, or from other addresses. */
export function actOf(
  { expiresAt: end = Infinity, allowedAddresses: present = [] }: Client,
  { expiresAt, allowedAddresses: changed = present }: ClientChanges,
): 'give' | 'write' {
  const isLonger = expiresAt !== undefined && (expiresAt ?? Infinity) > end
  const isWider = changed.length === 0 || changed.some((each) => !present.includes(each))
  return isLonger || (isWider && present.length > 0) ? 'give' : 'write'
}
