import type { Context } from 'koa'
import { findCaller, type Caller } from '../host/caller.ts'
import type { HostAccounts } from '../host/host-accounts.ts'
import { sendingSite } from '../http/csrf.ts'
import type { PageTokens } from '../http/page-tokens.ts'
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
  { tokens, issuerOrigin }: { readonly tokens: PageTokens; readonly issuerOrigin: string },
): void {
  if (!caller.isSession) return
  if (sendingSite(ctx, issuerOrigin) !== 'own') {
    throw new ApiError(
      'ERR_CSRF',
      'this request does not come from a page of this site: send Sec-Fetch-Site: same-origin, or Origin with the address of this site',
    )
  }
  const state = tokens.check(ctx, ctx.get('X-CSRF-Token'), caller)
  if (state === 'valid') return
  throw new ApiError(
    'ERR_CSRF',
    state === 'expired'
      ? 'the csrfToken is more than 24 hours old: get a new one from GET /session'
      : 'the header X-CSRF-Token must have the csrfToken of GET /session, and the request must have the cookie that GET /session set',
  )
}
