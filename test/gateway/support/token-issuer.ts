import {
  createLocalJWKSet,
  exportJWK,
  generateKeyPair,
  SignJWT,
  type CryptoKey,
  type JWK,
  type JWTHeaderParameters,
  type JWTVerifyGetKey,
} from 'jose'
import {
  createPrincipal,
  toVerifiedToken,
  type AccessTokenClaims,
  type Principal,
} from '../../../src/gateway/principal.ts'

export const ISSUER = 'https://auth.example.com'
export const AUDIENCE = 'https://example.com/api'

export interface TokenIssuer {
  /** Signs an access token. Claims with the value undefined are omitted. */
  mint(claims?: Record<string, unknown>, header?: Partial<JWTHeaderParameters>): Promise<string>
  /** Finds the public key of the issuer, and counts each call in `lookups`. */
  readonly getKey: JWTVerifyGetKey
  /** Returns the number of key lookups. Each signature check causes one lookup. */
  readonly lookups: () => number
  readonly publicJwk: JWK
  readonly privateKey: CryptoKey
}

/** Creates a small authorization service, which has one ES256 key and signs access tokens (RFC 9068). */
export async function createTokenIssuer(kid = 'key-1'): Promise<TokenIssuer> {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true })
  const publicJwk = { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' }
  const keySet = createLocalJWKSet({ keys: [publicJwk] })
  let count = 0
  return {
    publicJwk,
    privateKey,
    lookups: () => count,
    getKey: (header, token) => {
      count += 1
      return keySet(header, token)
    },
    mint: (claims, header) =>
      new SignJWT(accessTokenClaims(claims))
        .setProtectedHeader({ alg: 'ES256', kid, typ: 'at+jwt', ...header })
        .sign(privateKey),
  }
}

/** The principal of a token with these claims, whose signature is not checked. */
export function principalOfClaims(changes: Record<string, unknown> = {}): Principal {
  const { verified, token } = verifiedClaims(changes)
  return createPrincipal(verified, token)
}

/** A token with these claims, and what the gateway keeps of it. */
export function verifiedClaims(changes: Record<string, unknown> = {}) {
  const claims = accessTokenClaims(changes)
  const token = `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.`
  return { verified: toVerifiedToken(claims as unknown as AccessTokenClaims, 'key'), token }
}

let serial = 0

/** Returns the claims of a valid token, with `changes`. Claims with the value undefined are omitted. */
export function accessTokenClaims(changes: Record<string, unknown> = {}): Record<string, unknown> {
  const now = Math.floor(Date.now() / 1000)
  const claims = {
    iss: ISSUER,
    aud: AUDIENCE,
    sub: 'key_1',
    client_id: 'key_1',
    jti: `token-${(serial += 1)}`,
    iat: now,
    exp: now + 3600,
    scope: 'invoices:read',
    access_mode: 'direct',
    account_id: 'acme',
    access_epoch: 0,
    ...changes,
  }
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined))
}
