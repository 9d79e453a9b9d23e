import type { JWTPayload } from 'jose'

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
  /** Epoch seconds. */
  readonly expiresAt: number
  /** All claims of the token. */
  readonly claims: Readonly<JWTPayload>
}
