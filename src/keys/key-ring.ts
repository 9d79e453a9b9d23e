import type { JWK } from 'jose'
import { silentLogger, type Logger } from '../host/logger.ts'
import type { Store } from '../store/contract.ts'
import { toPublicJwk, type SigningJwk } from './generate-key.ts'
import { inState } from './key-states.ts'
import { createRingLoader } from './key-ring-loader.ts'
import { createKeyRingRecords, type OpenKey } from './key-ring-record.ts'
import type { KeyEncryption } from './key-encryption.ts'

/** The keys that sign now, and what of all of them is published. */
export interface KeyRing {
  /**
   * Private keys. The first of each algorithm signs; further ones for RS256 are there to recognize ID tokens that
   * were signed with them.
   */
  readonly signing: readonly SigningJwk[]
  /** The JWK Set for `/oauth2/jwks`: public parts only. */
  readonly published: { readonly keys: readonly JWK[] }
}

/** What of the keys is used. */
export function viewOf(keys: readonly OpenKey[]): KeyRing {
  const there = inState(keys, 'current', 'next', 'previous')
  const jwks = there.flatMap(({ jwk }) => jwk ?? [])
  const current = inState(keys, 'current').flatMap(({ jwk }) => jwk ?? [])
  const further = jwks.filter((jwk) => jwk.alg === 'RS256' && jwk.d !== undefined && !current.includes(jwk))
  return { signing: [...current, ...further], published: { keys: jwks.map(toPublicJwk) } }
}

/** The keys of a store for those who only use them, loaded or created; see `createRingLoader`. */
export async function loadKeyRing(
  store: Store,
  sealing: KeyEncryption,
  logger: Logger = silentLogger,
): Promise<KeyRing> {
  const load = createRingLoader({ records: createKeyRingRecords(store, sealing), logger })
  const { ring } = await load()
  return viewOf(ring.keys)
}
