import type { Revocations } from '../../revocation/revoke-tokens.ts'
import type { RevocationSet } from '../../revocation/is-revoked.ts'
import type { WithdrawnScope } from './catalog-record.ts'

/** The methods of the revocations that the catalog needs. */
export type ScopeRevocations = Pick<Revocations, 'revoke'> & Pick<RevocationSet, 'isScopeRevoked'>

/**
 * Revokes the tokens that carry withdrawn scopes, including those withdrawn by a process that ended before it could
 * revoke them. For scopes that are known to be revoked it costs a few look-ups in memory.
 *
 * @param pending scopes whose revocation is known here but may not have reached the store; updated by this function
 * @param withdrawn all withdrawn scopes
 * @param now epoch seconds
 * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`; the next call tries again
 */
export async function revokeWithdrawnScopes(
  revocations: ScopeRevocations,
  pending: Set<string>,
  withdrawn: readonly WithdrawnScope[],
  now: number,
): Promise<void> {
  for (const { scope, below } of withdrawn) {
    if (!revocations.isScopeRevoked(scope, below - 1)) pending.add(scope)
  }
  const open = withdrawn.filter(({ scope, until }) => until > now && pending.has(scope))
  if (open.length === 0) return
  await revocations.revoke(
    ...open.map(({ scope, below, until }) => ({ of: 'operation' as const, id: scope, below, until })),
  )
  pending.clear()
}
