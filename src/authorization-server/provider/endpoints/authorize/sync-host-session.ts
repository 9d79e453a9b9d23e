import type { KoaContextWithOIDC } from 'oidc-provider'
import type { SignedIn } from '../../../../host/accounts.ts'
import type { HostAccounts } from '../../../../host/host-accounts.ts'
import { personOf, subjectOf, type Person } from '../../../../host/subject.ts'
import type { AccountLookup } from '../../account-lookup.ts'
import { requestState } from '../../request-state.ts'
import {
  discardAnswers,
  isReturnFromPages,
  replaceSessionIds,
  type ProviderSession,
} from '../../seam/sessions.ts'

/**
 * Brings our session in the browser into step with the host's, before oidc-provider looks at it: nobody gets
 * a code for somebody who has signed out since, or whose account is gone. Called wherever an authorization
 * request goes on, at its start and when the person comes back from the pages.
 */
export type SyncHostSession = (ctx: KoaContextWithOIDC) => Promise<void>

/** Makes the comparison; a host without a session of its own is compared by its accounts alone. */
export function createSyncHostSession(accounts: HostAccounts, accountLookup: AccountLookup): SyncHostSession {
  return async function syncHostSession(ctx) {
    const state = requestState(ctx)
    if (state.isSessionSynced) return
    state.isSessionSynced = true

    const session = ctx.oidc.session as ProviderSession
    const ours = signedInAs(session)
    const theirs = accounts.current ? (await accounts.current(state.host)) || undefined : ours
    const account = theirs && (await accountLookup.find(ctx, theirs))
    const current = account && theirs

    if (!isSamePerson(ours, current)) {
      forget(ctx, session)
      if (current) signIn(session, current)
    } else if (current?.signedInAt !== undefined && current.signedInAt > (session.loginTs ?? 0)) {
      session.loginTs = current.signedInAt
    }
  }
}

function signedInAs(session: ProviderSession): SignedIn | undefined {
  if (session.accountId === undefined) return undefined
  return { ...personOf(session.accountId), signedInAt: session.loginTs }
}

function isSamePerson(one: Person | undefined, other: Person | undefined): boolean {
  return (one && subjectOf(one)) === (other && subjectOf(other))
}

/** Ends what this browser did as somebody else: their session, and what they were in the middle of. */
function forget(ctx: KoaContextWithOIDC, session: ProviderSession): void {
  session.authorizations = undefined
  session.loginTs = undefined
  delete session.accountId
  // What was answered on the pages was not this person's answer.
  if (isReturnFromPages(ctx)) discardAnswers(ctx)
  replaceSessionIds(ctx, session)
}

function signIn(session: ProviderSession, who: SignedIn): void {
  // 0 where the host does not tell when: then nobody is told a time, and `max_age` asks to sign in anew.
  session.loginAccount({ accountId: subjectOf(who), loginTs: who.signedInAt ?? 0 })
}
