// Model: test/proof/models/refresh-family.pml
import type { EventSink } from '../../host/events.ts'
import type { Logger } from '../../host/logger.ts'
import { personOf } from '../../host/subject.ts'
import type { requesterOf } from '../../audit/entry.ts'
import type { RevokeKeepingConsent } from '../revoke-grants.ts'
import type { TokenFamilies } from './token-families.ts'

// If a code (RFC 6749 4.1.2) or a refresh token (RFC 9700 4.14.2) is used twice, its grant is revoked. `tokenState`
// in `token-families.ts` recognizes a used token, and `start` a used code.

type Requester = ReturnType<typeof requesterOf>

interface Parts {
  readonly families: Pick<TokenFamilies, 'isRevoked'>
  readonly revokeGrant: RevokeKeepingConsent
  readonly events: EventSink
  readonly logger: Logger
}

/** The ids of the grant, client and person of a code or refresh token. `accountId` is a subject. */
type Owner = { readonly [Id in 'grantId' | 'clientId' | 'accountId']?: string | undefined }

type ReuseEvent = 'refresh_token.reused' | 'code.reused'

/** Revokes the grant and reports the reuse. `afterSeconds` is the time between the two uses, if it is short. */
export async function revokeReused(
  { revokeGrant, events, logger }: Omit<Parts, 'families'>,
  event: ReuseEvent,
  owner: Owner,
  requester: Requester,
  afterSeconds?: number,
): Promise<void> {
  const details = { ...ownerOf(owner), ...(afterSeconds !== undefined && { afterSeconds }) }
  await revokeGrant(details.grantId, { name: event, outcome: 'failure', ...details, ...requester })
  events.emit(event, details)
  if (afterSeconds !== undefined) logger.warn({ clientId: details.clientId, afterSeconds }, TWICE)
}

const TWICE =
  'a client sent a refresh token twice within seconds, so its grant was revoked; the option refreshTokenGraceSeconds allows such a retry'

/**
 * For a code or token that was valid when it was read, but could not be exchanged a moment later. If the refresh token
 * family is still active, it was used twice. If the family is revoked, another request has begun to revoke the grant,
 * perhaps without the access tokens yet, so the grant is revoked again, but no reuse is reported.
 */
export async function revokeAfterRace(
  parts: Parts,
  event: ReuseEvent,
  owner: Owner,
  requester: Requester,
  afterSeconds?: number,
): Promise<void> {
  const { grantId = '' } = owner
  if (await parts.families.isRevoked(grantId)) await parts.revokeGrant(grantId)
  else await revokeReused(parts, event, owner, requester, afterSeconds)
}

export function ownerOf({ grantId = '', clientId = '', accountId = '' }: Owner) {
  return { grantId, clientId, ...personOf(accountId) }
}
