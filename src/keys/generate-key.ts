import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose'

/** The algorithms of the keys. ES256 signs access tokens, RS256 ID tokens (required by OpenID Connect Core 15.1). */
export const ALGORITHMS = ['ES256', 'RS256'] as const

export type SigningAlgorithm = (typeof ALGORITHMS)[number]

/** A private signing key as a JWK, with `kid`, `alg` and `use`. */
export type SigningJwk = JWK & { readonly kid: string; readonly alg: SigningAlgorithm; readonly use: 'sig' }

/** Generates a signing key. Its `kid` is its thumbprint (RFC 7638), so two keys never share a `kid`. */
export async function generateSigningKey(alg: SigningAlgorithm): Promise<SigningJwk> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true, modulusLength: 2048 })
  const jwk = await exportJWK(privateKey)
  return { ...jwk, kid: await calculateJwkThumbprint(jwk), alg, use: 'sig' }
}

export function toPublicJwk({ kty, crv, x, y, n, e, kid, alg, use }: SigningJwk): JWK {
  return kty === 'RSA'
    ? { kty: 'RSA', n: n ?? '', e: e ?? '', kid, alg, use }
    : { kty: 'EC', crv: crv ?? '', x: x ?? '', y: y ?? '', kid, alg, use }
}
