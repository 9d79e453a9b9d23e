import type { AdapterPayload } from 'oidc-provider'
import type { TokenFamilies } from '../../../../grants/refresh-tokens/token-families.ts'
import type { EventSink } from '../../../../host/events.ts'
import { personOf } from '../../../../host/subject.ts'
import type { RevokeGrant } from '../../revoke-grant.ts'

/** Reuse detection: revokes the grant of a code (RFC 6749 4.1.2) or refresh token (RFC 9700 4.14.2) used twice. */
export interface ReuseDetection {
  /** Revokes the grant and reports the reuse. */
  revokeReused(event: ReuseEvent, owner: Owner): Promise<void>
  /**
   * Revokes the grant of a code or token that was valid when it was read, and could not be exchanged a moment later.
   * Reuse is reported only if the family is still active. Otherwise the grant was being revoked, and its access tokens
   * may not be revoked yet.
   */
  revokeAfterRace(event: ReuseEvent, owner: Owner): Promise<void>
}

/** oidc-provider's code or refresh token, or its payload. */
type Owner = Pick<AdapterPayload, 'grantId' | 'clientId' | 'accountId'>

type ReuseEvent = 'refresh_token.reused' | 'code.reused'

export function createReuseDetection(parts: {
  readonly families: Pick<TokenFamilies, 'isRevoked'>
  readonly revokeGrant: RevokeGrant
  readonly events: EventSink
}): ReuseDetection {
  const { families, revokeGrant, events } = parts

  async function revokeReused(event: ReuseEvent, owner: Owner): Promise<void> {
    await revokeGrant(owner.grantId ?? '')
    events.emit(event, ownerOf(owner))
  }

  return {
    revokeReused,
    async revokeAfterRace(event, owner) {
      const { grantId = '' } = owner
      if (await families.isRevoked(grantId)) await revokeGrant(grantId)
      else await revokeReused(event, owner)
    },
  }
}

/** The grant, client and person of a code or refresh token. oidc-provider's account id is the subject. */
export function ownerOf({ grantId = '', clientId = '', accountId = '' }: Owner) {
  return { grantId, clientId, ...personOf(accountId) }
}
