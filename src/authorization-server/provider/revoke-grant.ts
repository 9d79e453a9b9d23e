import type { EntryFields } from '../../audit/entry.ts'
import type { ProviderDependencies, ProviderParts } from './dependencies.ts'

/** Creates `revokeGrant()`, with which all endpoints of the authorization server revoke grants. */
export function createRevokeGrant({
  grantLifecycle,
  families,
  revocations,
  audit,
}: Pick<
  ProviderDependencies,
  'grantLifecycle' | 'families' | 'revocations' | 'audit'
>): ProviderParts['revokeGrant'] {
  const pending = new Map<string, Promise<void>>()

  async function revoke(grantId: string, entry: EntryFields | undefined): Promise<void> {
    const change = async () => {
      await grantLifecycle.delete(grantId)
      return { result: undefined, revoked: [{ of: 'grant', id: grantId } as const] }
    }
    await revocations.revokeWith({ of: 'grant', id: grantId }, change, entry)
    // The refresh token family is revoked last, because a refresh token is found through its family. If one
    // of the writes above fails, the client can send the refresh token again, and that request repeats the
    // revocation.
    await families.revoke(grantId)
  }

  return async function revokeGrant(grantId, entry) {
    const running = pending.get(grantId)
    if (running) {
      await running
      if (entry) await audit.record(entry)
      return
    }
    const revoked = revoke(grantId, entry).finally(() => pending.delete(grantId))
    pending.set(grantId, revoked)
    await revoked
  }
}
