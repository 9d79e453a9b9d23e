import type { AdapterPayload } from 'oidc-provider'
import { personOf } from '../../../../host/subject.ts'
import { requesterOf } from '../../../../http/client-address.ts'
import { currentContext, requestState } from '../../request-state.ts'
import type { ProviderParts } from '../../dependencies.ts'

// Reuse detection: if a code (RFC 6749 4.1.2) or a refresh token (RFC 9700 4.14.2) is used twice, its grant
// is revoked.

type Parts = Pick<ProviderParts, 'families' | 'revokeGrant' | 'events'>

/** The owner of a code or refresh token: the ids of its grant, client and account. */
type Owner = Pick<AdapterPayload, 'grantId' | 'clientId' | 'accountId'>

type ReuseEvent = 'refresh_token.reused' | 'code.reused'

/** Revokes the grant and reports the reuse. */
export async function revokeReused(
  { revokeGrant, events }: Parts,
  event: ReuseEvent,
  owner: Owner,
): Promise<void> {
  const details = ownerOf(owner)
  const requester = requesterOf(requestState(currentContext()).host)
  await revokeGrant(details.grantId, { name: event, outcome: 'failure', ...details, ...requester })
  events.emit(event, details)
}

/**
 * Revokes the grant of a code or token that was valid when it was read, but could not be exchanged a moment
 * later. If the refresh token family is still active, the code or token was used twice, and the reuse is
 * reported. If the family is revoked, another request has revoked the grant meanwhile. Then the grant is
 * revoked once more without a report, because its access tokens may not be revoked yet.
 */
export async function revokeAfterRace(parts: Parts, event: ReuseEvent, owner: Owner): Promise<void> {
  const { grantId = '' } = owner
  if (await parts.families.isRevoked(grantId)) await parts.revokeGrant(grantId)
  else await revokeReused(parts, event, owner)
}

/**
 * The grant, client and person of a code or refresh token. `accountId` comes from oidc-provider, and is our
 * subject.
 */
export function ownerOf({ grantId = '', clientId = '', accountId = '' }: Owner) {
  return { grantId, clientId, ...personOf(accountId) }
}
