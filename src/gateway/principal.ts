import type { JWTPayload } from 'jose'
import { deepFreeze } from '../catalog/deep-freeze.ts'

/** Who an API call acts for: `ctx.state.auth` behind the gateway. Frozen, and shared between requests. */
export interface Principal {
  /** `direct`: an API key acting on its owner's account. `delegated`: an application acting for a user. */
  readonly mode: 'direct' | 'delegated'
  /** The account that the call acts on. */
  readonly accountId: string
  /** The member of that account, where accounts have several. */
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
  /** `kid` of the key that the token was signed with. */
  readonly keyId: string
  /** Epoch seconds. */
  readonly expiresAt: number
  /** All claims of the token. */
  readonly claims: Readonly<JWTPayload>
  /**
   * Aborts when the token expires or is revoked, for what goes on after the call was let through: WebSockets,
   * streams, long work. Its `reason` is a `GatehouseError` with the code `ERR_TOKEN_EXPIRED` or `ERR_TOKEN_REVOKED`;
   * `ERR_NOT_READY` where tokens are rejected because contact with the revocations was lost; `ERR_CLOSED` once the
   * gateway is closed, because nobody would tell after that. The same signal for all calls with one token. It is made
   * when it is first read, and kept while it has a listener, so remove yours when the work ends; one that
   * `AbortSignal.any()` was given is kept until the token expires. It is not enumerable, and a copy of the principal has
   * none.
   */
  readonly signal: AbortSignal
}

/** Finds the signal of a principal. */
export type SignalOf = (principal: Principal) => AbortSignal

/** Claims of an access token (RFC 9068 2.2, and our own), once each has been found to be of its type. */
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
  /** Counter of its client at the time of issue: a token below the client's present one is dead. */
  readonly access_epoch: number
  /** Counter of the products at the time of issue: one that lost an operation since takes the tokens back. */
  readonly catalog_epoch?: number | undefined
}

/**
 * The principal that an access token stands for, from claims that have been verified.
 *
 * @param signalOf asked each time that the signal is read. @default one that never aborts, for those who look at a
 *   token once
 */
export function createPrincipal(
  claims: AccessTokenClaims,
  keyId: string,
  signalOf: SignalOf = () => NEVER,
): Principal {
  const scopes = (claims.scope ?? '').split(' ').filter((scope) => scope !== '')
  // The set stays inside: freezing a Set would not keep anybody from adding to it.
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
  // Not enumerable: whoever logs a principal, or answers with it as JSON, does not mean to watch its token.
  Object.defineProperty(principal, 'signal', { get: () => signalOf(principal as Principal) })
  return Object.freeze(principal as Principal)
}

const NEVER = new AbortController().signal
