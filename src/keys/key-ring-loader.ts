import { randomUUID } from 'node:crypto'
import { GatehouseError } from '../errors.ts'
import type { Logger } from '../host/logger.ts'
import { replenish, inState, type KeyChange } from './key-states.ts'
import {
  makeKeys,
  type LostPart,
  type OpenKey,
  type KeyRingRecords,
  type StoredRing,
} from './key-ring-record.ts'

/** Marks in the revocation log, by which a ring recognizes the log that belongs to it. */
export interface LogMarks {
  /** The ids of all marks. */
  list(): Promise<readonly string[]>
  add(id: string): Promise<void>
  remove(id: string): Promise<void>
}

/** What a load needs. */
export interface RingLoaderParts {
  readonly records: KeyRingRecords
  readonly marks: LogMarks
  readonly logger: Logger
}

/** Attempts before the load fails, if the store loses each new ring at once. */
const MAX_ATTEMPTS = 10

/**
 * Loads the ring, or creates it: once, even if several processes start at the same moment on an empty store.
 *
 * A ring and a revocation log belong together. If either was lost, a new ring replaces the old one, and contains the
 * keys that this process knows as revoked. Otherwise revoked tokens would be valid again. A ring that is older than
 * the known one is adopted: a failover lost the last writes, but not the log.
 *
 * @param known the keys that this process loaded before; undefined at the start
 * @returns the ring, and the changes of this process; they are empty if the ring existed
 * @throws {GatehouseError} `ERR_SECRET_MISMATCH`, `ERR_STORE_CORRUPT`, `ERR_STORE_UNAVAILABLE`
 */
export async function loadRing(parts: RingLoaderParts, known?: readonly OpenKey[]) {
  let changes: readonly KeyChange[] = []
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const ring = await parts.records.read()
    // The marks are read after the ring, because a ring that names a mark was written after that mark.
    const marks = await parts.marks.list()
    if (!ring) {
      const lost = marks.length > 0 ? 'keys' : known && 'both'
      changes = (await createRing(parts, undefined, known ?? [], lost)) ?? changes
    } else if (ring.log !== undefined && !marks.includes(ring.log)) {
      changes = (await createRing(parts, ring, ring.keys, 'log')) ?? changes
    } else {
      if (!known && ring.isOutdated) await encryptAgain(parts, ring)
      if (ring.log === undefined) await markLog(parts, ring, marks)
      return { ring, changes }
    }
  }
  throw new GatehouseError('ERR_STORE_CORRUPT', 'the store loses the signing keys again and again')
}

/**
 * Creates a ring, or replaces one. The new keys sign at once, because no older key may be trusted.
 *
 * @returns what changed; undefined if another process was faster
 */
async function createRing(
  { records, logger }: RingLoaderParts,
  found: StoredRing | undefined,
  before: readonly OpenKey[],
  lost: LostPart | undefined,
): Promise<readonly KeyChange[] | undefined> {
  const [first, second] = await Promise.all([makeKeys(), makeKeys()])
  const now = Date.now() / 1000
  const revoked = revokeLive(before, now)
  const current = replenish<OpenKey>(revoked, now, first)
  const both = replenish(current.keys, now, second)
  const draft = await records.draft(both.keys, lost && { replaced: { lost, at: Math.floor(now) } })
  if (!(await (found ? records.replace(found, draft) : records.create(draft)))) return undefined
  if (lost) logger.error({ lost: LOST[lost] }, REPLACED)
  const live = revoked.filter((key, at) => key !== before[at])
  return [
    ...live.map(({ kid, alg }) => ({ what: 'revoked' as const, kid, alg })),
    ...current.changes,
    ...both.changes,
  ]
}

/** Marks the log for a ring that names no mark: the ring is new, or an older version wrote it. */
async function markLog(
  { records, marks, logger }: RingLoaderParts,
  ring: StoredRing,
  others: readonly string[],
): Promise<void> {
  try {
    const log = randomUUID()
    await marks.add(log)
    const isMarked = await records.mark(ring, log)
    // If several processes mark the log at once, one succeeds, and the others remove their own marks.
    await Promise.all((isMarked ? others : [log]).map((id) => marks.remove(id)))
  } catch (error) {
    logger.warn({ err: error }, 'the revocation log could not be marked; the next poll tries again')
  }
}

/** Encrypts the keys under the newest secret. If the write fails, the next start tries again. */
async function encryptAgain({ records, logger }: RingLoaderParts, ring: StoredRing): Promise<void> {
  try {
    await records.replace(ring, await records.draft(ring.keys, ring))
  } catch (error) {
    logger.warn(
      { err: error },
      'the signing keys could not be encrypted under the newest `secret`; keep the older one until they are',
    )
  }
}

const LOST: Readonly<Record<LostPart, string>> = {
  keys: 'the signing keys',
  log: 'the revocation log',
  both: 'the signing keys and the revocation log',
}

const REPLACED =
  'the store has lost data, so new signing keys replace the old ones: all tokens from before are rejected'

/** Revokes all live keys of a ring, and removes their key material. Other keys stay unchanged. */
function revokeLive(keys: readonly OpenKey[], now: number): readonly OpenKey[] {
  const live = inState(keys, 'current', 'next', 'previous')
  return keys.map((key) => {
    if (!live.includes(key)) return key
    const { kid, alg, createdAt } = key
    return { kid, alg, createdAt, state: 'revoked', since: now }
  })
}
