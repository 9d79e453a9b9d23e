import type { TokenFamilies } from '../../grants/refresh-tokens/token-families.ts'
import type { Revocations } from '../../revocation/revoke-tokens.ts'
import type { Grants } from './models/grants.ts'

/**
 * Revokes a grant with its code, refresh tokens and access tokens, including a token that is being issued at the
 * same moment. Repeating it has no further effect.
 *
 * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`; the caller may retry
 */
export type RevokeGrant = (grantId: string) => Promise<void>

/** Creates the only function with which the authorization server itself revokes grants. */
export function createRevokeGrant(parts: {
  readonly grants: Grants
  readonly families: TokenFamilies
  readonly revocations: Revocations
}): RevokeGrant {
  const { grants, families, revocations } = parts
  return async function revokeGrant(grantId) {
    await revocations.revokeWith({ of: 'grant', id: grantId }, async () => {
      await grants.delete(grantId)
      return { result: undefined, revoked: [{ of: 'grant', id: grantId }] }
    })
    // The family is ended last, because it is how the refresh token is found: a client that got no response can
    // send the token again.
    await families.revoke(grantId)
  }
}
