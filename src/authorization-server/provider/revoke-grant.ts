import type { ProviderDependencies, ProviderParts } from './dependencies.ts'

/** Creates the only function with which the authorization server itself revokes grants. */
export function createRevokeGrant({
  grantLifecycle,
  families,
  revocations,
}: Pick<ProviderDependencies, 'grantLifecycle' | 'families' | 'revocations'>): ProviderParts['revokeGrant'] {
  const pending = new Map<string, Promise<void>>()

  async function revoke(grantId: string): Promise<void> {
    await revocations.revokeWith({ of: 'grant', id: grantId }, async () => {
      await grantLifecycle.delete(grantId)
      return { result: undefined, revoked: [{ of: 'grant', id: grantId }] }
    })
    // The family is revoked last, because a refresh token is found through its family. If an earlier write
    // fails, the client can send the refresh token again, and the revocation is repeated.
    await families.revoke(grantId)
  }

  return function revokeGrant(grantId) {
    const revoked = pending.get(grantId) ?? revoke(grantId).finally(() => pending.delete(grantId))
    pending.set(grantId, revoked)
    return revoked
  }
}
