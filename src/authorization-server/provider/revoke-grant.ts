import type { ProviderDependencies, ProviderParts } from './dependencies.ts'

/** Creates `revokeGrant()`, with which all endpoints of the authorization server revoke grants. */
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
    // The refresh token family is revoked last, because a refresh token is found through its family. If one
    // of the writes above fails, the client can send the refresh token again, and that request repeats the
    // revocation.
    await families.revoke(grantId)
  }

  return function revokeGrant(grantId) {
    const revoked = pending.get(grantId) ?? revoke(grantId).finally(() => pending.delete(grantId))
    pending.set(grantId, revoked)
    return revoked
  }
}
