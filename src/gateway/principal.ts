import type { JWTPayload } from 'jose'
import { deepFreeze } from '../catalog/deep-freeze.ts'

/**
 * The account and the client of an API call. Behind the gateway, `ctx.state.auth` is the principal. It is
 * frozen, and requests with the same token share it.
 */
export interface Principal {
  /** `direct`: an API key acting on its owner's account. `delegated`: an application acting for a user. */
  readonly mode: 'direct' | 'delegated'
  /** The account on which the call acts. */
  readonly accountId: string
  /** The member of the account, if accounts have several members. */
  readonly userId?: string | undefined
  /** The API key or application. */
  readonly clientId: string
  readonly scopes: readonly string[]
  /** Whether the token carries `scope`. */
  has(scope: string): boolean
  /** `jti` of the token. */
  readonly tokenId: string
  /** The grant behind a delegated token. */
  readonly grantId?: string | undefined
  /** `kid` of the key that signed the token. */
  readonly keyId: string
  /** Epoch seconds. */
  readonly expiresAt: number
  /** All claims of the token. */
  readonly claims: Readonly<JWTPayload>
  /**
   * A signal that aborts when the token expires or is revoked. Use it for work that continues after the call
   * was accepted, such as WebSockets, streams and long jobs. All calls with one token share the signal.
   *
   * Its `reason` is a `GatehouseError` with the code `ERR_TOKEN_EXPIRED` or `ERR_TOKEN_REVOKED`. The code is
   * `ERR_NOT_READY` if the gateway rejects all tokens because its revocations are too stale. The code is
   * `ERR_CLOSED` if the gateway was closed.
   *
   * The signal is created when it is first read, and stays in memory while it has a listener. So remove your
   * listener when the work ends. A signal that was passed to `AbortSignal.any()` stays in memory until the
   * token expires. The property is not enumerable, and a copy of the principal does not have it.
   */
  readonly signal: AbortSignal
}

/** Finds the signal of a principal. */
export type SignalOf = (principal: Principal) => AbortSignal

/** The claims of an access token (RFC 9068 2.2, and our own), after their types have been checked. */
export interface AccessTokenClaims extends JWTPayload {
  readonly iss: string
  readonly sub: string
  readonly client_id: string
  readonly jti: string
  readonly iat: number
  readonly exp: number
  readonly scope?: string | undefined
  readonly access_mode: 'direct' | 'delegated'
  readonly account_id: string
  readonly user_id?: string | undefined
  readonly grant_id?: string | undefined
  /** The client's epoch at the time of issue. A token with a lower epoch than its client is revoked. */
  readonly access_epoch: number
  /** The catalog's epoch at the time of issue. Removing an operation revokes tokens with a lower epoch. */
  readonly catalog_epoch?: number | undefined
}

/**
 * Creates the principal of an access token from its verified claims.
 *
 * @param signalOf called each time that the signal is read. @default returns a signal that never aborts
 */
export function createPrincipal(
  claims: AccessTokenClaims,
  keyId: string,
  signalOf: SignalOf = () => NEVER,
): Principal {
  const scopes = (claims.scope ?? '').split(' ').filter((scope) => scope !== '')
  // The set is private, because a frozen Set still accepts additions.
  const carried = new Set(scopes)
  const principal: Omit<Principal, 'signal'> = {
    mode: claims.access_mode,
    accountId: claims.account_id,
    ...(claims.user_id !== undefined && { userId: claims.user_id }),
    clientId: claims.client_id,
    scopes: Object.freeze(scopes),
    has: (scope) => carried.has(scope),
    tokenId: claims.jti,
    ...(claims.grant_id !== undefined && { grantId: claims.grant_id }),
    keyId,
    expiresAt: claims.exp,
    claims: deepFreeze(claims),
  }
  // The property is not enumerable, so that logging a principal, or sending it as JSON, does not create the
  // signal.
  Object.defineProperty(principal, 'signal', { get: () => signalOf(principal as Principal) })
  return Object.freeze(principal as Principal)
}

const NEVER = new AbortController().signal
