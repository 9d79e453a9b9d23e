import type { Context } from 'koa'
import type { FrontDoorParts } from '../front-door/access.ts'
import type { HostAccounts } from '../host/host-accounts.ts'
import { FRAGMENT_HEADER } from './send-page.ts'

/** What the address of the sign-in page depends on. */
export interface SignInParts extends Pick<FrontDoorParts, 'issuerOrigin'> {
  readonly accounts: Pick<HostAccounts, 'signInUrl'>
}

/**
 * The address of the host's sign-in page. Undefined for a submitted form, because its fields would be lost. The sender
 * of the request chooses its path, which may look like an origin. So the address to return to always has the origin of
 * the issuer.
 *
 * @param address the address of the page, to which the person comes back
 */
export async function signInUrl(
  ctx: Context,
  address: string,
  { accounts, issuerOrigin }: SignInParts,
): Promise<string | undefined> {
  const isSubmitted = ctx.method === 'POST' || ctx.get(FRAGMENT_HEADER) !== ''
  if (isSubmitted || !accounts.signInUrl) return undefined
  const { pathname, search } = new URL(address + ctx.search, issuerOrigin)
  const returnTo = Object.assign(new URL(issuerOrigin), { pathname, search })
  return (await accounts.signInUrl(returnTo, ctx, { reauthenticate: false })).href
}
