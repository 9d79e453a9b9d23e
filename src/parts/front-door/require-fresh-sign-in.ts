import type { Context } from 'koa'
import type { ConfirmedPermission } from '../../host/accounts.ts'
import type { FrontDoorParts } from './access.ts'
import { Rejection } from './rejection.ts'

/**
 * Rejects a request that the caller must first confirm by a fresh sign-in at the host. Call it after all other checks,
 * so that no caller signs in again for a request that another check rejects.
 *
 * @param returnTo the page to which the host sends the browser afterwards; undefined if a program makes the request
 * @throws {Rejection} `confirm`, with the address where the caller signs in again
 */
export async function requireFreshSignIn(
  { accounts, issuerOrigin }: Pick<FrontDoorParts, 'accounts' | 'issuerOrigin'>,
  ctx: Context,
  permission: ConfirmedPermission,
  returnTo?: URL,
): Promise<void> {
  const url = await accounts.confirm?.(ctx, permission, { base: returnTo?.href ?? issuerOrigin, returnTo })
  if (url) throw new Rejection('confirm', { needs: permission, confirmUrl: url.href })
}
