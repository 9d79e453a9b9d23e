import type { JWK } from 'jose'
import { toPublicJwk, type SigningJwk } from './generate-key.ts'
import { inState } from './rotation-policy.ts'
import type { OpenKey } from './key-ring-record.ts'

/** The keys that sign, and the public keys of `/oauth2/jwks`. */
export interface KeyRing {
  /** Private keys. The first of each algorithm signs. Other RS256 keys verify earlier ID tokens (`id_token_hint`). */
  readonly signing: readonly SigningJwk[]
  /** The JWK Set for `/oauth2/jwks`: public keys only. */
  readonly published: { readonly keys: readonly JWK[] }
}

export function viewOf(keys: readonly OpenKey[]): KeyRing {
  const jwks = inState(keys, 'current', 'next', 'previous').flatMap(({ jwk }) => jwk ?? [])
  const current = inState(keys, 'current').flatMap(({ jwk }) => jwk ?? [])
  const further = jwks.filter((jwk) => jwk.alg === 'RS256' && jwk.d !== undefined && !current.includes(jwk))
  return { signing: [...current, ...further], published: { keys: jwks.map(toPublicJwk) } }
}
