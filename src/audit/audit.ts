import { periodically } from '../async/periodically.ts'
import type { Logger } from '../host/logger.ts'
import type { Store } from '../store/contract.ts'
import type { Proof } from './announced-entry.ts'
import { createEntry, newEntryId, type EntryFields, type PendingEntry } from './entry.ts'
import type { AuditBounds } from './retention.ts'
import { createFailures } from './failures.ts'
import type { Outbox } from './outbox.ts'
import {
  checkList,
  checkRead,
  listEntries,
  readEntries,
  type AuditListOptions,
  type AuditPage,
  type AuditReadOptions,
  type AuditRecord,
} from './read-trail.ts'
import * as recordings from './recording.ts'
import { createTrail, findLast, numberOf, type Trail } from './trail.ts'
import { createWriter } from './writer.ts'

/** Milliseconds between two searches for changes that another process did not complete. */
const RESUME_INTERVAL_MS = 60_000

/**
 * @param parts.store the durable view of the store
 * @param parts.now milliseconds since the epoch. @default the clock of this process
 */
export function createAudit(parts: {
  readonly store: Store
  readonly bounds: AuditBounds
  readonly logger: Logger
  readonly now?: (() => number) | undefined
}) {
  const { store, bounds, logger, now = () => Date.now() } = parts
  const { maxAgeDays, maxEntries, maxFailures } = bounds
  const trail = createTrail(store, 'changes', { maxAgeDays, maxEntries })
  const recording = recordings.createRecording({ store, trail, logger, now })
  const failureTrail = createTrail(store, 'failures', { maxAgeDays, maxEntries: maxFailures })
  const failures = recordFailures(failureTrail, { logger, now })

  /** The trail that a caller reads. What waits in this process is written before. */
  async function trailOf({ trail: name = 'changes' }: AuditReadOptions | AuditListOptions): Promise<Trail> {
    if (name === 'changes') {
      await recordings.settled(recording)
      return trail
    }
    await failures.flush()
    return failureTrail
  }

  return {
    /** Makes a change of a record, together with its entries. See `recordChange`. */
    change: <T>(key: string, change: (outbox: Outbox) => Promise<T>, options?: recordings.ChangeKind) =>
      recordings.recordChange(recording, key, change, options),

    /** Makes a change whose records cannot carry the entry. See `recordAnnounced`. */
    announce: <T extends { readonly isMade: boolean }>(
      fields: EntryFields,
      proof: Proof,
      change: () => Promise<T>,
      options?: recordings.ChangeKind,
    ) => recordings.recordAnnounced(recording, fields, proof, change, options),

    /** Makes an entry that is recorded later, by `append`. */
    entry: (fields: EntryFields) => recordings.newEntry(recording, fields),

    /**
     * Records entries. An entry that is recorded already is not recorded again.
     *
     * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`
     */
    append: (entries: readonly PendingEntry[]) => recordings.append(recording, entries),

    /** Records something that changed no record. Never rejects. */
    record: (...entries: readonly (EntryFields | PendingEntry)[]) => recordings.record(recording, entries),

    /** Counts what a stranger tried. It is recorded within a minute. Does no I/O. */
    reject: failures.add,

    /** Moves what other processes left behind. See `resume`. */
    resume: () => recordings.resume(recording),

    /**
     * Resumes in the background: immediately, and then again every minute.
     *
     * @returns a function that stops this work, and writes what waits
     */
    start(): () => Promise<void> {
      void findLast(trail).catch(() => {})
      const stop = resumePeriodically(recording, logger)
      return async () => {
        stop()
        recording.counting.end()
        await failures.flush()
        await recordings.settled(recording)
      }
    },

    settled: () => recordings.settled(recording),

    async list(options: AuditListOptions = {}): Promise<AuditPage> {
      checkList(options)
      return listEntries(await trailOf(options), options)
    },

    async *read(options: AuditReadOptions = {}): AsyncGenerator<AuditRecord> {
      checkRead(options)
      yield* readEntries(await trailOf(options), options)
    },
  }
}

/** Resumes immediately, and then again every minute. @returns a function that ends it */
function resumePeriodically(recording: recordings.Recording, logger: Logger): () => void {
  let stopped = false
  const resume = async () => {
    await recordings.resume(recording).catch((error: unknown) => {
      if (!stopped) logger.warn({ err: error }, 'the audit trail is incomplete; trying again within a minute')
    })
  }
  void resume()
  const stop = periodically(resume, RESUME_INTERVAL_MS)
  return () => {
    stopped = true
    stop()
  }
}

/** Counts what strangers try, and records it in a trail of its own. */
function recordFailures(
  trail: Trail,
  { logger, now }: { readonly logger: Logger; readonly now: () => number },
) {
  const writer = createWriter(trail)
  return createFailures(async (counted) => {
    const after = await numberOf(trail)
    const entries = counted.map((fields) => ({ entry: createEntry(newEntryId(), fields, now()), after }))
    await writer.append(entries).catch((error: unknown) => {
      logger.warn({ err: error }, 'failures of strangers could not be recorded')
    })
  })
}

/** The audit trail of one process. */
export type Audit = ReturnType<typeof createAudit>

/** The methods that services need to record what they do. */
export type AuditWriter = Pick<Audit, 'change' | 'announce' | 'record' | 'append' | 'entry' | 'reject'>
