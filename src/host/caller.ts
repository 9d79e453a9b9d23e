import type { Context } from 'koa'
import type { SignedIn } from './accounts.ts'
import type { HostAccounts } from './host-accounts.ts'

/** Who calls the management API, or opens a page of the console. */
export interface Caller extends Pick<SignedIn, 'accountId' | 'userId'> {
  /** The caller as events name it: the account, or `account/user`. */
  readonly actor: string
  /** Whether a browser may have sent the credentials of this request by itself. */
  readonly isSession: boolean
}

/** The caller of a request, as the host says; undefined if no person is signed in. */
export async function findCaller(
  accounts: Pick<HostAccounts, 'current'>,
  ctx: Context,
): Promise<Caller | undefined> {
  const signedIn = await accounts.current?.(ctx)
  if (!signedIn) return undefined
  const { accountId, userId, via } = signedIn
  const actor = userId === undefined ? accountId : `${accountId}/${userId}`
  return { accountId, userId, actor, isSession: via !== 'token' }
}
