import { randomUUID } from 'node:crypto'
import type { EntryFields } from '../audit/entry.ts'
import type { Commits } from '../commit/commit.ts'
import { GatehouseError } from '../errors.ts'
import { changeOptionsOf, type ChangeOptions } from '../host/change-options.ts'
import type { Logger } from '../host/logger.ts'
import { replenish, inState, type KeyChange } from './rotation-policy.ts'
import {
  makeKeys,
  type LostPart,
  type OpenKey,
  type KeyRingRecords,
  type StoredRing,
} from './key-ring-record.ts'

/** A mark is a random id in the log. The same id in the key ring shows that the two belong together. */
export interface LogMarks {
  list(): Promise<readonly string[]>
  add(id: string): Promise<void>
  remove(id: string): Promise<void>
}

export interface RingLoaderParts {
  readonly records: KeyRingRecords
  readonly marks: LogMarks
  readonly commits: Pick<Commits, 'commit'>
  readonly logger: Logger
}

/** More attempts would help only if the store loses each new ring at once. */
const MAX_ATTEMPTS = 10

/**
 * Loads the ring; one process creates a missing one, or replaces it if the store has lost data.
 *
 * A ring and a revocation log belong together. If the store lost the ring or the log, a new ring replaces the
 * old ring. The new ring also lists the old keys that this process knows (`known`), in the state `revoked`.
 * Otherwise tokens that were revoked before the loss would be valid again. If a failover lost only the last
 * writes, the store has an older ring than this process, which then adopts the stored ring.
 */
export async function loadRing(parts: RingLoaderParts, known?: readonly OpenKey[]) {
  let changes: readonly KeyChange[] = []
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const ring = await parts.records.read()
    // A process adds a mark to the log before it writes its id into the ring. If the mark is missing, the log was lost.
    const marks = await parts.marks.list()
    if (!ring) {
      const lost = marks.length > 0 ? 'keys' : known && 'both'
      changes = (await createRing(parts, undefined, known ?? [], lost)) ?? changes
    } else if (ring.log !== undefined && !marks.includes(ring.log)) {
      changes = (await createRing(parts, ring, ring.keys, 'log')) ?? changes
    } else {
      if (!known && ring.isOutdated && (await encryptAgain(parts, ring)) === false) continue
      // The audit entries of a new ring are removed from the ring in the background, so the ring may have changed.
      if (ring.log === undefined && (await markLog(parts, ring, marks)) === false && changes.length > 0)
        continue
      return { ring, changes }
    }
  }
  throw new GatehouseError('ERR_STORE_CORRUPT', 'the store loses the signing keys again and again')
}

/** The new keys sign at once, because no older key may sign. Undefined if another process was first. */
async function createRing(
  { records, commits, logger }: RingLoaderParts,
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
  const live = revoked.filter((key, at) => key !== before[at])
  const changes = [
    ...live.map(({ kid, alg }) => ({ what: 'revoked' as const, kid, alg })),
    ...current.changes,
    ...both.changes,
  ]
  const earlier = found?.stored.record.audit
  // The keys are made even if the change cannot be listed.
  const { stored } = await commits.commit({
    record: records.asRead(found),
    write: () => ({ ...draft, ...(earlier && { audit: earlier }) }),
    entry: () => keyEntries(changes, {}),
    isRemoval: true,
  })
  if (!stored) return undefined
  if (lost) logger.error({ lost: LOST[lost] }, REPLACED)
  return changes
}

/** Each entry has the name of its event. */
export function keyEntries(changes: readonly KeyChange[], options: ChangeOptions): EntryFields[] {
  return changes.map(({ what, kid }) => ({ name: `key.${what}`, keyId: kid, ...changeOptionsOf(options) }))
}

/** @returns false if the ring was changed after it was read */
async function markLog(
  { records, marks, logger }: RingLoaderParts,
  ring: StoredRing,
  oldMarks: readonly string[],
): Promise<boolean | undefined> {
  try {
    const log = randomUUID()
    await marks.add(log)
    const isMarked = await records.mark(ring, log)
    // If several processes mark the log at once, only one can write the id of its mark into the ring. It removes all
    // older marks, and each of the others removes its own mark.
    await Promise.all((isMarked ? oldMarks : [log]).map((id) => marks.remove(id)))
    return isMarked
  } catch (error) {
    logger.warn(
      { err: error },
      'the id that connects the signing keys and the revocation log could not be stored; the next poll tries again',
    )
    return undefined
  }
}

/** If the write fails, the next start of the process tries again. */
async function encryptAgain({ records, logger }: RingLoaderParts, ring: StoredRing) {
  try {
    const { audit } = ring.stored.record
    return await records.replace(ring, { ...(await records.draft(ring.keys, ring)), ...(audit && { audit }) })
  } catch (error) {
    logger.warn(
      { err: error },
      'the signing keys could not be encrypted under the newest secret; keep the older secret until a later start has encrypted them',
    )
    return undefined
  }
}

const LOST: Readonly<Record<LostPart, string>> = {
  keys: 'the signing keys',
  log: 'the revocation log',
  both: 'the signing keys and the revocation log',
}

const REPLACED =
  'the store has lost data, so new signing keys replace the old ones: all earlier tokens are rejected'

function revokeLive(keys: readonly OpenKey[], now: number): readonly OpenKey[] {
  const live = inState(keys, 'current', 'next', 'previous')
  return keys.map((key) => {
    if (!live.includes(key)) return key
    const { kid, alg, createdAt } = key
    return { kid, alg, createdAt, state: 'revoked', since: now }
  })
}
