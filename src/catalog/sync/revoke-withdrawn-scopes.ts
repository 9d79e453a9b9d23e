import type { Revocations } from '../../revocation/revoke-tokens.ts'
import type { RevocationSet } from '../../revocation/is-revoked.ts'
import type { WithdrawnScope } from './catalog-record.ts'

/** The methods of the revocations that the catalog needs. */
export type ScopeRevocations = Pick<Revocations, 'revoke'> &
  Pick<RevocationSet, 'isScopeRevoked' | 'lowestValidCatalogEpoch'>

/**
 * Revokes the tokens that carry withdrawn scopes. If another process withdrew a scope and stopped before it
 * revoked the tokens, this call revokes them. If all revocations are stored already, the call costs only a
 * few look-ups in memory.
 *
 * @param pending scopes whose revocation may not have reached the store. This function adds scopes that this
 *   process does not know as revoked, and clears the set once all revocations are stored
 * @param withdrawn all withdrawn scopes
 * @param now epoch seconds
 * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`; the next call tries again
 */
export async function revokeWithdrawnScopes(
  revocations: Pick<ScopeRevocations, 'revoke' | 'isScopeRevoked'>,
  pending: Set<string>,
  withdrawn: readonly WithdrawnScope[],
  now: number,
): Promise<void> {
  for (const { scope, below } of withdrawn) {
    if (!revocations.isScopeRevoked(scope, below - 1)) pending.add(scope)
  }
  const toRevoke = withdrawn.filter(({ scope, until }) => until > now && pending.has(scope))
  if (toRevoke.length === 0) return
  await revocations.revoke(
    ...toRevoke.map(({ scope, below, until }) => ({ of: 'operation' as const, id: scope, below, until })),
  )
  pending.clear()
}
