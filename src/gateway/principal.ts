import type { JWTPayload } from 'jose'
import { decodeJwt } from 'jose/jwt/decode'
import { createLru } from '../async/lru.ts'
import { deepFreeze } from '../catalog/deep-freeze.ts'
import type { RevocableToken } from '../revocation/revocation.ts'

/** The account and the client of an API call. Behind the gateway, `ctx.state.auth` is the principal. It is frozen. */
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
  /**
   * All claims of the token, decoded when they are first read. The property is a getter of the prototype, so a copy
   * such as `{ ...auth }` does not have it.
   */
  readonly claims: Readonly<JWTPayload>
}

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
  /** A token with a lower epoch than its client is revoked. */
  readonly access_epoch: number
  /** Removing an operation raises the catalog's epoch. Older tokens that carry its scope are then revoked. */
  readonly catalog_epoch?: number | undefined
  /** Addresses and networks, separated by spaces. If absent, all are allowed. */
  readonly allowed_networks?: string | undefined
}

/** What the gateway keeps of a verified token: neither the token itself nor its other claims. */
export interface VerifiedToken
  extends
    RevocableToken,
    Pick<Principal, 'mode' | 'accountId' | 'userId' | 'clientId' | 'has' | 'tokenId' | 'expiresAt'> {
  /** They decide whether the token is revoked. */
  readonly claims: Readonly<Pick<AccessTokenClaims, 'access_epoch' | 'catalog_epoch'>>
  readonly networks: string | undefined
}

/** Picks what a call needs from the claims of a verified token. `keyId` is its `kid`. */
export function toVerifiedToken(claims: AccessTokenClaims, keyId: string): VerifiedToken {
  return {
    mode: claims.access_mode,
    accountId: claims.account_id,
    userId: claims.user_id,
    clientId: claims.client_id,
    ...carriedScopes(claims.scope ?? ''),
    tokenId: claims.jti,
    grantId: claims.grant_id,
    keyId,
    expiresAt: claims.exp,
    networks: claims.allowed_networks,
    claims: { access_epoch: claims.access_epoch, catalog_epoch: claims.catalog_epoch },
  }
}

/** By the text of the claim `scope`. Many tokens have the same claim, so they share one list. */
const knownScopes = createLru<string, Pick<Principal, 'scopes' | 'has'>>(1000)

function carriedScopes(text: string): Pick<Principal, 'scopes' | 'has'> {
  const known = knownScopes.get(text)
  if (known !== undefined) return known
  const scopes = Object.freeze(text.split(' ').filter((scope) => scope !== ''))
  // The set is private, because a frozen Set still accepts additions.
  const carried = new Set(scopes)
  const created = { scopes, has: (scope: string) => carried.has(scope) }
  knownScopes.set(text, created)
  return created
}

/** `claims` are decoded when they are first read: the gateway need not keep those of all tokens. */
class TokenPrincipal implements Principal {
  readonly mode: Principal['mode']
  readonly accountId: string
  declare readonly userId?: string
  readonly clientId: string
  readonly scopes: readonly string[]
  readonly has: Principal['has']
  readonly tokenId: string
  declare readonly grantId?: string
  readonly keyId: string
  readonly expiresAt: number
  readonly #token: string
  readonly #owner: object | undefined
  #claims: Readonly<JWTPayload> | undefined

  constructor(verified: VerifiedToken, token: string, owner: object | undefined) {
    this.mode = verified.mode
    this.accountId = verified.accountId
    if (verified.userId !== undefined) this.userId = verified.userId
    this.clientId = verified.clientId
    this.scopes = verified.scopes
    this.has = verified.has
    this.tokenId = verified.tokenId
    if (verified.grantId !== undefined) this.grantId = verified.grantId
    this.keyId = verified.keyId
    this.expiresAt = verified.expiresAt
    this.#token = token
    this.#owner = owner
    Object.freeze(this)
  }

  get claims(): Readonly<JWTPayload> {
    return (this.#claims ??= deepFreeze(decodeJwt(this.#token)))
  }

  static isOf(value: unknown, owner: object): value is Principal {
    return typeof value === 'object' && value !== null && #owner in value && value.#owner === owner
  }
}

/** @param owner identifies the accepting gateway; undefined if no gateway accepted the call */
export function createPrincipal(verified: VerifiedToken, token: string, owner?: object): Principal {
  return new TokenPrincipal(verified, token, owner)
}

/** Other middleware may set `ctx.state.auth`, so its value alone does not prove that a token was verified. */
export function isPrincipalOf(value: unknown, owner: object): value is Principal {
  return TokenPrincipal.isOf(value, owner)
}
