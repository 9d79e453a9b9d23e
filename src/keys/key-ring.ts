import type { JWK } from 'jose'
import { GatehouseError } from '../errors.ts'
import { silentLogger, type Logger } from '../host/logger.ts'
import type { Store } from '../store/contract.ts'
import { toPublicJwk, type SigningJwk } from './generate-key.ts'
import { fillUp, inState, type KeyChange } from './key-states.ts'
import {
  createRingRecords,
  makeKeys,
  type OpenKey,
  type RingRecords,
  type StoredRing,
} from './ring-record.ts'
import type { KeySealing } from './sealing.ts'

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

/** The ring as it was loaded, and what was done about it. */
export interface LoadedRing {
  readonly ring: StoredRing
  /** That keys were made by this. */
  readonly changes: readonly KeyChange[]
}

/**
 * Loads the signing keys, or creates them: once, also when several processes start at the same moment on an
 * empty store. Keys that are encrypted under a secret that has been replaced are encrypted under the newest one,
 * so that the old one can be dropped.
 *
 * @throws {GatehouseError} `ERR_SECRET` if none of the secrets opens the keys in the store: nothing is
 *   changed then; `ERR_STORE_RECORD`; `ERR_STORE_UNAVAILABLE`
 */
export async function loadRing(records: RingRecords, logger: Logger): Promise<LoadedRing> {
  const found = await records.read()
  if (!found) return createRing(records)
  if (!found.isOutdated) return { ring: found, changes: [] }
  // Of several processes at once one does it. That it failed is no reason not to start: the next start does it.
  try {
    await records.replace(found, await records.draft(found.keys))
  } catch (error) {
    logger.warn(
      { err: error },
      'the signing keys could not be encrypted under the newest `secret`; keep the older one until they are',
    )
  }
  return { ring: found, changes: [] }
}

async function createRing(records: RingRecords): Promise<LoadedRing> {
  const [first, second] = await Promise.all([makeKeys(), makeKeys()])
  const now = Date.now() / 1000
  // Those of the first ring sign at once: there is nobody yet who could know others.
  const current = fillUp<OpenKey>([], now, first)
  const both = fillUp(current.keys, now, second)
  const isCreated = await records.create(await records.draft(both.keys))
  // Whoever was first: theirs are the keys.
  const ring = await records.read()
  if (ring) return { ring, changes: isCreated ? [...current.changes, ...both.changes] : [] }
  throw new GatehouseError('ERR_STORE_RECORD', 'the signing keys vanished from the store while it started')
}

/** The keys of a store for those who only use them; see `loadRing`. */
export async function loadKeyRing(
  store: Store,
  sealing: KeySealing,
  logger: Logger = silentLogger,
): Promise<KeyRing> {
  const { ring } = await loadRing(createRingRecords(store, sealing), logger)
  return viewOf(ring.keys)
}
