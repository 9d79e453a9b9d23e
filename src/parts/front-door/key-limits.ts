import { directScopes } from '../../catalog/resolve-scopes.ts'
import { isGatewayKey, type Client, type ClientChanges } from '../../clients/client.ts'
import type { Permission } from '../../host/accounts.ts'
import { scopesBeyond, type GrantParts, type Member } from './grantable-operations.ts'
import type { RejectionDetails } from './rejection.ts'

/** The permission of each part: to give access, to hand over, to report a leak; to remove a secret or public key. */
const PARTS = { give: 'write', handOver: 'write', handToAccount: 'write', report: 'write', remove: 'rotate' }

export type Right = Permission | `${'keys' | 'applications'}:${keyof typeof PARTS}`

export function permissionOf(right: Right): Permission {
  const [of, act = ''] = right.split(':')
  return `${of}:${PARTS[act as keyof typeof PARTS] ?? act}` as Permission
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

/** `give` if the client can be used longer, or from other addresses. */
export function actOf(
  { expiresAt: end = Infinity, allowedAddresses: present = [] }: Client,
  { expiresAt, allowedAddresses: changed = present }: ClientChanges,
): 'give' | 'write' {
  const isLonger = expiresAt !== undefined && (expiresAt ?? Infinity) > end
  const isWider = changed.length === 0 || changed.some((each) => !present.includes(each))
  return isLonger || (isWider && present.length > 0) ? 'give' : 'write'
}
