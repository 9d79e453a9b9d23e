import type { Context } from 'koa'
import type { SignedIn } from '../host/accounts.ts'
import type { HostAccounts } from '../host/host-accounts.ts'
import type { CsrfTokens } from '../http/csrf.ts'
import { ApiError } from './api-error.ts'

/** Who calls the management API. */
export interface Caller extends Pick<SignedIn, 'accountId' | 'userId'> {
  /** The caller as events name it: the account, or `account/user`. */
  readonly actor: string
  /** Whether a browser may have sent the credentials of this request by itself. */
  readonly isSession: boolean
}

/**
 * The caller of a request, as the host says.
 *
 * @throws {ApiError} `ERR_NOT_SIGNED_IN`
 */
export async function requireCaller(accounts: Pick<HostAccounts, 'current'>, ctx: Context): Promise<Caller> {
  const signedIn = await accounts.current?.(ctx)
  if (!signedIn) throw new ApiError('ERR_NOT_SIGNED_IN', 'sign in first')
  const { accountId, userId, via } = signedIn
  const actor = userId === undefined ? accountId : `${accountId}/${userId}`
  return { accountId, userId, actor, isSession: via !== 'token' }
}

/** The CSRF token of a caller. */
export function csrfTokenFor(tokens: CsrfTokens, { accountId, userId }: Caller): string {
  return tokens.issue(CSRF_PURPOSE, accountId, userId)
}

/** Keeps tokens of the management API apart from the tokens of the forms. */
const CSRF_PURPOSE = 'management'

/**
 * Rejects a request that changes something if another site may have sent it through the caller's browser. A
 * request whose credentials a browser never sends by itself passes.
 *
 * @param issuerOrigin the origin of the authorization service, which is an origin of the host too
 * @throws {ApiError} `ERR_CSRF`
 */
export function requireOwnSite(
  ctx: Context,
  caller: Caller,
  { tokens, issuerOrigin }: { readonly tokens: CsrfTokens; readonly issuerOrigin: string },
): void {
  if (!caller.isSession) return
  const site = ctx.get('Sec-Fetch-Site')
  const origin = ctx.get('Origin')
  // `ctx.origin` is not used: in Koa 3 it is the header Origin itself.
  const ownOrigin = `${ctx.protocol}://${ctx.host}`
  // Browsers set Sec-Fetch-Site themselves, and a proxy does not change what it means.
  const isOwn = site === '' ? origin === ownOrigin || origin === issuerOrigin : site === 'same-origin'
  if (!isOwn) {
    throw new ApiError(
      'ERR_CSRF',
      'this request does not come from a page of this site: send Sec-Fetch-Site: same-origin, or Origin with the address of this site',
    )
  }
  const { accountId, userId } = caller
  if (!tokens.isValid(ctx.get('X-CSRF-Token'), CSRF_PURPOSE, accountId, userId)) {
    throw new ApiError('ERR_CSRF', 'the header X-CSRF-Token must have the csrfToken of GET /session')
  }
}
