import type { KoaContextWithOIDC } from 'oidc-provider'
import type { SignedIn } from '../host/accounts.ts'
import type { CheckedAccounts } from '../host/checked-accounts.ts'
import type { HostAccounts } from './host-accounts.ts'
import { requestState } from './request-state.ts'
import { dropAnswers, isComingBack, replaceSessionIds, type ProviderSession, type WithUser } from './seam.ts'

/**
 * Brings our session in the browser into step with the host's, before oidc-provider looks at it: nobody gets
 * a code for somebody who has signed out since, or whose account is gone. Called wherever an authorization
 * request goes on, at its start and when the person comes back from the pages.
 */
export type BringIntoStep = (ctx: KoaContextWithOIDC) => Promise<void>

/** Makes the comparison; a host without a session of its own is compared by its accounts alone. */
export function createBringIntoStep(accounts: CheckedAccounts, hostAccounts: HostAccounts): BringIntoStep {
  return async function bringIntoStep(ctx) {
    const state = requestState(ctx)
    if (state.isInStep) return
    state.isInStep = true

    const session = ctx.oidc.session as ProviderSession
    adoptUserOfSignIn(ctx, session)
    const ours = whoIsIn(session)
    const theirs = accounts.current ? (await accounts.current(state.host)) || undefined : ours
    const account = theirs && (await hostAccounts.find(ctx, theirs.accountId, theirs.userId))
    const current = account && theirs

    if (!isSamePerson(ours, current)) {
      forget(ctx, session)
      if (current) signIn(session, current)
    } else if (current?.signedInAt !== undefined && current.signedInAt > (session.loginTs ?? 0)) {
      session.loginTs = current.signedInAt
    }
  }
}

/** oidc-provider took the account of a sign-in into the session; which member of it only we know. */
function adoptUserOfSignIn(ctx: KoaContextWithOIDC, session: ProviderSession): void {
  const login = ctx.oidc.result?.login
  if (!login) return
  const { userId } = login as WithUser
  if (session.userId !== userId) session.userId = userId
}

function whoIsIn(session: ProviderSession): SignedIn | undefined {
  if (session.accountId === undefined) return undefined
  return { accountId: session.accountId, userId: session.userId, signedInAt: session.loginTs }
}

function isSamePerson(one: SignedIn | undefined, other: SignedIn | undefined): boolean {
  return one?.accountId === other?.accountId && one?.userId === other?.userId
}

/** Ends what this browser did as somebody else: their session, and what they were in the middle of. */
function forget(ctx: KoaContextWithOIDC, session: ProviderSession): void {
  session.authorizations = undefined
  session.userId = undefined
  session.loginTs = undefined
  delete session.accountId
  // What was answered on the pages was not this person's answer.
  if (isComingBack(ctx)) dropAnswers(ctx)
  replaceSessionIds(ctx, session)
}

function signIn(session: ProviderSession, { accountId, userId, signedInAt }: SignedIn): void {
  // 0 where the host does not tell when: then nobody is told a time, and `max_age` asks to sign in anew.
  session.loginAccount({ accountId, loginTs: signedInAt ?? 0 })
  session.userId = userId
}
