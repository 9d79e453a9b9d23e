import { createPrivateKey, sign, type JsonWebKey } from 'node:crypto'
import type { SigningJwk } from './generate-key.ts'

/** Signs the claims of an access token. @returns the JWT */
export type AccessTokenSigner = (claims: object) => string

const signers = new WeakMap<SigningJwk, AccessTokenSigner>()

/**
 * The function that signs access tokens (RFC 9068 2.1) with a key for ES256. It signs on the calling thread. That takes a
 * fifth less CPU time than to pass the work to another thread and back.
 */
export function accessTokenSigner(jwk: SigningJwk): AccessTokenSigner {
  const signer = signers.get(jwk) ?? createSigner(jwk)
  signers.set(jwk, signer)
  return signer
}

function createSigner(jwk: SigningJwk): AccessTokenSigner {
  const { kty, crv, x, y, d, alg, kid } = jwk
  const privateKey = createPrivateKey({ key: { kty, crv, x, y, d } as JsonWebKey, format: 'jwk' })
  // Node reads the encoding of signatures (RFC 7518 3.4) from the key. In an object around the key, Node 24
  // would import the key for each signature.
  const key = Object.assign(privateKey, { dsaEncoding: 'ieee-p1363' as const })
  const header = encode({ alg, typ: 'at+jwt', kid })

  return function signAccessToken(claims) {
    const content = `${header}.${encode(claims)}`
    return `${content}.${sign('sha256', Buffer.from(content, 'latin1'), key).toString('base64url')}`
  }
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}
