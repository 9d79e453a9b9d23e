import type { Revocations } from '../../revocation/revoke-tokens.ts'
import type { RevocableToken } from '../../revocation/revocation.ts'
import type { WithdrawnScope } from './catalog-record.ts'

/** What is asked of the revocations. */
export interface OperationRevocations extends Pick<Revocations, 'revoke'> {
  /** Whether a token was revoked, as far as this process knows. */
  isRevoked(token: RevocableToken): boolean
}

/**
 * Makes sure that tokens which carry what was withdrawn are revoked: also where the process that withdrew it ended
 * before it could. What is known to be revoked costs a few look-ups in memory.
 *
 * @returns called with all that was withdrawn; rejects with `ERR_STORE_UNAVAILABLE`, and is to be called again then
 */
export function createRevokeWithdrawnScopes(revocations: OperationRevocations) {
  /** Scopes whose revocation may not have reached the store, though it is known here. */
  const unsure = new Set<string>()

  return async function takeBack(withdrawn: readonly WithdrawnScope[], now: number): Promise<void> {
    for (const { scope, below } of withdrawn) {
      if (!isTakenBack(revocations, [scope], below - 1)) unsure.add(scope)
    }
    const open = withdrawn.filter(({ scope, until }) => until > now && unsure.has(scope))
    if (open.length === 0) return
    await revocations.revoke(
      ...open.map(({ scope, below, until }) => ({ of: 'operation' as const, id: scope, below, until })),
    )
    unsure.clear()
  }
}

/** Whether a token that carries one of `scopes` is dead because of the epoch of the products that it is from. */
export function isTakenBack(
  { isRevoked }: Pick<OperationRevocations, 'isRevoked'>,
  scopes: readonly string[],
  epoch: number,
): boolean {
  return isRevoked({ tokenId: '', clientId: '', keyId: '', scopes, claims: { catalog_epoch: epoch } })
}
