import type { KoaContextWithOIDC } from 'oidc-provider'
import type { SignedIn } from '../../../../host/accounts.ts'
import { personOf, subjectOf } from '../../../../host/subject.ts'
import type { ProviderParts } from '../../dependencies.ts'
import { requestState } from '../../request-state.ts'
import {
  discardAnswers,
  isReturnFromPages,
  replaceSessionIds,
  type ProviderSession,
} from '../../seam/sessions.ts'

/**
 * Synchronizes our session in the browser with the host's session, so that a person gets no code after
 * signing out at the host, or after their account was deleted. Without `accounts.current`, it only checks
 * that the account exists.
 */
export async function syncHostSession(
  { accounts, accountLookup }: ProviderParts,
  ctx: KoaContextWithOIDC,
): Promise<void> {
  const state = requestState(ctx)
  if (state.isSessionSynced) return
  state.isSessionSynced = true

  const session = ctx.oidc.session as ProviderSession
  const before = signedInAs(session)
  const atHost = accounts.current ? (await accounts.current(state.host)) || undefined : before
  const current = atHost && (await accountLookup.find(ctx, atHost)) ? atHost : undefined

  const subject = current && subjectOf(current)
  if ((before && subjectOf(before)) !== subject) {
    signOut(ctx, session)
    // Without the time of the sign-in, no `auth_time` is issued, and `max_age` demands a new sign-in.
    if (subject !== undefined) session.loginAccount({ accountId: subject, loginTs: current?.signedInAt ?? 0 })
  } else if (current?.signedInAt !== undefined && current.signedInAt > (session.loginTs ?? 0)) {
    session.loginTs = current.signedInAt
  }
}

function signedInAs(session: ProviderSession): SignedIn | undefined {
  if (session.accountId === undefined) return undefined
  return { ...personOf(session.accountId), signedInAt: session.loginTs }
}

/** The pending authorization requests of the previous person can no longer be completed. */
function signOut(ctx: KoaContextWithOIDC, session: ProviderSession): void {
  session.authorizations = undefined
  session.loginTs = undefined
  delete session.accountId
  // The answers on the pages came from the previous person, so they are discarded.
  if (isReturnFromPages(ctx)) discardAnswers(ctx)
  replaceSessionIds(ctx, session)
}
