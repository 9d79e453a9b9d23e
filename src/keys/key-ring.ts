import type { JWK } from 'jose'
import { GatehouseError } from '../errors.ts'
import { silentLogger, type Logger } from '../host/logger.ts'
import { createCollection, type Collection, type Stored } from '../store/collection.ts'
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

interface KeyRecord {
  readonly kid: string
  readonly alg: SigningAlgorithm
  readonly state: 'current'
  /** Epoch seconds. */
  readonly createdAt: number
  /** The private key as a compact JWE. */
  readonly sealed: string
}

interface KeyRingRecord {
  readonly keys: readonly KeyRecord[]
}

const ALGORITHMS: readonly SigningAlgorithm[] = ['ES256', 'RS256']

/**
 * Loads the signing keys, or creates them: once, also when several processes start at the same moment on an
 * empty store. Keys that are encrypted under a secret that has been replaced are encrypted under the newest one,
 * so that the old one can be dropped.
 *
 * @throws {GatehouseError} `ERR_SECRET` if none of the secrets opens the keys in the store: nothing is
 *   changed then; `ERR_STORE_UNAVAILABLE`
 */
export async function loadKeyRing(
  store: Store,
  sealing: KeySealing,
  logger: Logger = silentLogger,
): Promise<KeyRing> {
  const rings = createCollection<KeyRingRecord>(store, { name: 'signing-keys', version: 1 })
  const stored = (await rings.read(RING)) ?? (await createRing(rings, sealing))
  const opened = await Promise.all(stored.record.keys.map((key) => open(sealing, key)))
  if (opened.some(({ isOutdated }) => isOutdated)) await sealAgain()
  const signing = opened.map(({ privateKey }) => privateKey)
  return { signing, published: { keys: signing.map(toPublicJwk) } }

  /** Of several processes at once one does it. That it failed is no reason not to start: the next start does it. */
  async function sealAgain(): Promise<void> {
    try {
      const keys = opened.map(async ({ record, privateKey, isOutdated }) =>
        isOutdated ? { ...record, sealed: await sealing.seal(privateKey) } : record,
      )
      await rings.replace(RING, stored, { keys: await Promise.all(keys) })
    } catch (error) {
      logger.warn(
        { err: error },
        'the signing keys could not be encrypted under the newest `secret`; keep the older one until they are',
      )
    }
  }
}

const RING = 'ring'

async function createRing(
  rings: Collection<KeyRingRecord>,
  sealing: KeySealing,
): Promise<Stored<KeyRingRecord>> {
  await rings.create(RING, await createRecord(sealing))
  // Whoever was first: theirs are the keys.
  const stored = await rings.read(RING)
  if (stored) return stored
  throw new GatehouseError('ERR_STORE_RECORD', 'the signing keys vanished from the store while it started')
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

async function open(sealing: KeySealing, record: KeyRecord) {
  const key = await sealing.open(record.sealed)
  if (key?.privateKey.kid === record.kid) return { ...key, privateKey: key.privateKey as SigningJwk, record }
  throw new GatehouseError(
    'ERR_SECRET',
    'the signing keys in the store were encrypted under another `secret`; start with the one that was used ' +
      'before (as a later entry of the list, if it has been replaced). Nothing was changed',
  )
}
