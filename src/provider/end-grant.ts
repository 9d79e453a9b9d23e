import type { RefreshFamilies } from '../tokens/refresh-families.ts'
import type { Revocations } from '../tokens/revocations/revocations.ts'
import type { Grants } from './models/grants.ts'

/**
 * Ends a grant with all that came of it: no code, refresh token or access token of it is good afterwards, not even
 * one that is being issued at this moment. To do it again does no harm.
 *
 * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`; whoever asked for it may ask again
 */
export type EndGrant = (grantId: string) => Promise<void>

/** Makes the one way in which the authorization server itself ends grants. */
export function createEndGrant(parts: {
  readonly grants: Grants
  readonly families: RefreshFamilies
  readonly revocations: Revocations
}): EndGrant {
  const { grants, families, revocations } = parts
  return async function endGrant(grantId) {
    await revocations.during({ of: 'grant', id: grantId }, async () => {
      await grants.delete(grantId)
      return { result: undefined, taken: [{ of: 'grant', id: grantId }] }
    })
    // Last, because the refresh token is found by it: who got no answer before can send it again.
    await families.end(grantId)
  }
}
