import type { JWK } from 'jose'
import { GatehouseError } from '../errors.ts'
import { createCollection } from '../store/collection.ts'
import type { Store } from '../store/contract.ts'
import { generateSigningKey, toPublicJwk, type SigningAlgorithm, type SigningJwk } from './generate-key.ts'
import type { KeySealing } from './sealing.ts'

/** The keys that sign now, and what of them is published. */
export interface KeyRing {
  /** Private keys, one for each algorithm. */
  readonly signing: readonly SigningJwk[]
  /** The JWK Set for `/oauth2/jwks`: public parts only. */
  readonly published: { readonly keys: readonly JWK[] }
}

interface KeyRingRecord {
  readonly keys: readonly {
    readonly kid: string
    readonly alg: SigningAlgorithm
    readonly state: 'current'
    /** Epoch seconds. */
    readonly createdAt: number
    /** The private key as a compact JWE. */
    readonly sealed: string
  }[]
}

const ALGORITHMS: readonly SigningAlgorithm[] = ['ES256', 'RS256']

/**
 * Loads the signing keys, or creates them: once, also when several processes start at the same moment on an
 * empty store.
 *
 * @throws {GatehouseError} `ERR_SECRET` if none of the secrets opens the keys in the store: nothing is
 *   changed then; `ERR_STORE_UNAVAILABLE`
 */
export async function loadKeyRing(store: Store, sealing: KeySealing): Promise<KeyRing> {
  const rings = createCollection<KeyRingRecord>(store, { name: 'signing-keys', version: 1 })
  let record = await rings.get('ring')
  if (!record) {
    const created = await createRecord(sealing)
    record = (await rings.create('ring', created)) ? created : await rings.get('ring')
  }
  if (!record) {
    throw new GatehouseError('ERR_STORE_RECORD', 'the signing keys vanished from the store while it started')
  }
  const signing = await Promise.all(record.keys.map(({ kid, sealed }) => open(sealing, kid, sealed)))
  return { signing, published: { keys: signing.map(toPublicJwk) } }
}

async function createRecord(sealing: KeySealing): Promise<KeyRingRecord> {
  const keys = ALGORITHMS.map(async (alg) => {
    const key = await generateSigningKey(alg)
    return {
      kid: key.kid,
      alg,
      state: 'current' as const,
      createdAt: Math.floor(Date.now() / 1000),
      sealed: await sealing.seal(key),
    }
  })
  return { keys: await Promise.all(keys) }
}

async function open(sealing: KeySealing, kid: string, sealed: string): Promise<SigningJwk> {
  const key = await sealing.open(sealed)
  if (key?.kid === kid) return key as SigningJwk
  throw new GatehouseError(
    'ERR_SECRET',
    'the signing keys in the store were encrypted under another `secret`; start with the one that was used ' +
      'before (as a later entry of the list, if it has been replaced). Nothing was changed',
  )
}
