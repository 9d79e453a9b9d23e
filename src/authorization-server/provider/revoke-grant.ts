import type { TokenFamilies } from '../../grants/refresh-tokens/token-families.ts'
import type { Revocations } from '../../revocation/revoke-tokens.ts'
import type { Grants } from './models/grants.ts'

/**
 * Ends a grant with all that came of it: no code, refresh token or access token of it is good afterwards, not even
 * one that is being issued at this moment. To do it again does no harm.
 *
 * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`; whoever asked for it may ask again
 */
export type RevokeGrant = (grantId: string) => Promise<void>

/** Makes the one way in which the authorization server itself ends grants. */
export function createRevokeGrant(parts: {
  readonly grants: Grants
  readonly families: TokenFamilies
  readonly revocations: Revocations
}): RevokeGrant {
  const { grants, families, revocations } = parts
  return async function revokeGrant(grantId) {
    await revocations.during({ of: 'grant', id: grantId }, async () => {
      await grants.delete(grantId)
      return { result: undefined, taken: [{ of: 'grant', id: grantId }] }
    })
    // Last, because the refresh token is found by it: who got no answer before can send it again.
    await families.end(grantId)
  }
}
