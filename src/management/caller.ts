import type { Context } from 'koa'
import { findCaller, type Caller } from '../host/caller.ts'
import type { HostAccounts } from '../host/host-accounts.ts'
import { sendingSite, type CsrfTokens } from '../http/csrf.ts'
import { ApiError } from './api-error.ts'

/**
 * The caller of a request, as the host says.
 *
 * @throws {ApiError} `ERR_NOT_SIGNED_IN`
 */
export async function requireCaller(accounts: Pick<HostAccounts, 'current'>, ctx: Context): Promise<Caller> {
  const caller = await findCaller(accounts, ctx)
  if (!caller) throw new ApiError('ERR_NOT_SIGNED_IN', 'sign in first')
  return caller
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
  if (sendingSite(ctx, issuerOrigin) !== 'own') {
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
