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

/** Marks in the revocation log, by which a ring recognizes the log that it belongs to. */
export interface LogMarks {
  /** The ids of all marks. */
  list(): Promise<readonly string[]>
  add(id: string): Promise<void>
  remove(id: string): Promise<void>
}

/** A ring as it was loaded, and what was done about it. */
export interface LoadedRing {
  readonly ring: StoredRing
  /** What this process has changed; empty if the ring was there. */
  readonly changes: readonly KeyChange[]
}

/** Attempts before a store is given up that loses what is written to it at once. */
const MAX_ATTEMPTS = 10

/**
 * Loads the ring, or creates it: once, also when several processes start at the same moment on an empty store.
 *
 * A ring and a revocation log belong together. If either was lost, the ring is replaced by a new one, and the keys
 * that this process knows are in it as revoked. Otherwise tokens that were revoked would be valid again. A ring that
 * is older than the known one is in force: a failover has lost the last writes, but not the log.
 *
 * @param marks undefined for a caller that only reads keys: then nothing is ever replaced
 */
export function createRingLoader({
  records,
  marks,
  logger,
}: {
  readonly records: KeyRingRecords
  readonly marks?: LogMarks | undefined
  readonly logger: Logger
}) {
  /** @returns whether this process has stored the ring */
  async function create(
    found: StoredRing | undefined,
    gone: readonly OpenKey[],
    lost: LostPart | undefined,
  ): Promise<readonly KeyChange[] | undefined> {
    const [first, second] = await Promise.all([makeKeys(), makeKeys()])
    const now = Date.now() / 1000
    const revoked = revokeLive(gone, now)
    // The keys of a new ring sign at once: nobody knows other ones, or may trust them.
    const current = replenish<OpenKey>(revoked, now, first)
    const both = replenish(current.keys, now, second)
    const draft = await records.draft(both.keys, lost && { replaced: { lost, at: Math.floor(now) } })
    if (!(await (found ? records.replace(found, draft) : records.create(draft)))) return undefined
    if (lost) logger.error({ lost: LOST[lost] }, REPLACED)
    const live = revoked.filter((key, at) => key !== gone[at])
    return [
      ...live.map(({ kid, alg }) => ({ what: 'revoked' as const, kid, alg })),
      ...current.changes,
      ...both.changes,
    ]
  }

  /** Marks the log for a ring that names no mark: it is new, or an older version has written it. */
  async function mark(ring: StoredRing, others: readonly string[]): Promise<void> {
    if (!marks) return
    try {
      const log = randomUUID()
      await marks.add(log)
      const isMarked = await records.mark(ring, log)
      // Of several processes at once one has marked it; the others remove their own.
      await Promise.all((isMarked ? others : [log]).map((id) => marks.remove(id)))
    } catch (error) {
      logger.warn({ err: error }, 'the revocation log could not be marked; the next look tries again')
    }
  }

  /** Encrypts the keys under the newest secret. If it fails, the next start does it. */
  async function reseal(ring: StoredRing): Promise<void> {
    try {
      await records.replace(ring, await records.draft(ring.keys, ring))
    } catch (error) {
      logger.warn(
        { err: error },
        'the signing keys could not be encrypted under the newest `secret`; keep the older one until they are',
      )
    }
  }

  /**
   * @param known the keys that this process has loaded before; undefined at the start
   * @throws {GatehouseError} `ERR_SECRET_MISMATCH`, `ERR_STORE_CORRUPT`, `ERR_STORE_UNAVAILABLE`
   */
  return async function load(known?: readonly OpenKey[]): Promise<LoadedRing> {
    let changes: readonly KeyChange[] = []
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const ring = await records.read()
      // After the ring: a ring that names a mark was written after that mark.
      const found = (await marks?.list()) ?? []
      if (!ring) {
        const lost = found.length > 0 ? 'keys' : known && 'both'
        changes = (await create(undefined, known ?? [], lost)) ?? changes
      } else if (marks && ring.log !== undefined && !found.includes(ring.log)) {
        changes = (await create(ring, ring.keys, 'log')) ?? changes
      } else {
        if (!known && ring.isOutdated) await reseal(ring)
        if (ring.log === undefined) await mark(ring, found)
        return { ring, changes }
      }
    }
    throw new GatehouseError('ERR_STORE_CORRUPT', 'the signing keys vanish from the store again and again')
  }
}

const LOST: Readonly<Record<LostPart, string>> = {
  keys: 'the signing keys',
  log: 'the revocation log',
  both: 'the signing keys and the revocation log',
}

const REPLACED =
  'the store has lost data, so new signing keys replace the old ones: all tokens from before are rejected'

/** The same keys, of which those that may be trusted are revoked; their material is not kept. */
function revokeLive(keys: readonly OpenKey[], now: number): readonly OpenKey[] {
  const live = inState(keys, 'current', 'next', 'previous')
  return keys.map((key) => {
    if (!live.includes(key)) return key
    const { kid, alg, createdAt } = key
    return { kid, alg, createdAt, state: 'revoked', since: now }
  })
}
