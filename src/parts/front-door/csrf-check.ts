import { isFromOwnPage } from '../../http/request-origin.ts'
import type { FrontDoorParts, Visit } from './access.ts'
import { Rejection } from './rejection.ts'

/** Rejects a request that another site may have sent through the caller's browser. @throws {Rejection} `foreignPage` */
export function requireOwnPage(
  { ctx }: Pick<Visit, 'ctx'>,
  surface: 'console' | 'management',
  { issuerOrigin }: Pick<FrontDoorParts, 'issuerOrigin'>,
): void {
  if (!isFromOwnPage(ctx, surface, issuerOrigin)) throw new Rejection('foreignPage')
}

/** Another site can make a browser send a session cookie, but not an access token. */
export function needsCsrfToken({ caller }: Pick<Visit, 'caller'>): boolean {
  return caller.isSession
}

/** Checks the CSRF token. @returns whether it is more than 24 hours old @throws {Rejection} `csrfToken` */
export function isCsrfTokenExpired(
  { ctx, caller }: Pick<Visit, 'ctx' | 'caller'>,
  token: string | null,
  { tokens }: Pick<FrontDoorParts, 'tokens'>,
): boolean {
  const state = tokens.check(ctx, token, caller)
  if (state === 'invalid') throw new Rejection('csrfToken')
  return state === 'expired'
}
