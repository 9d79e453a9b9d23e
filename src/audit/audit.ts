import { isCorruptRecord } from '../store/corrupt-record.ts'
import { periodically } from '../async/periodically.ts'
import { isRejection } from '../errors.ts'
import type { Logger } from '../host/logger.ts'
import type { Store } from '../store/contract.ts'
import { createPendingList } from '../store/pending-list.ts'
import { isAnnounced, readAnnounced, wasMade, writeAnnounced, type Proof } from './announced-entry.ts'
import { createEntry, newEntryId, type EntryFields, type PendingEntry } from './entry.ts'
import type { AuditBounds } from './audit-options.ts'
import { createCounting } from './counting.ts'
import { createFailures } from './failures.ts'
import { createOutbox, createOutboxes, idsOf, type Outbox } from './outbox.ts'
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
import { createTrail, findLast, numberOf, type Trail } from './trail.ts'
import { createWriter } from './writer.ts'

/** Seconds for which a change stays listed as pending if no process completes it. */
const PENDING_SECONDS = 30 * 86_400

/** Milliseconds between two searches for changes that another process did not complete. */
const RESUME_INTERVAL_MS = 60_000

/** The maximum number of entries that wait in memory because the store is unavailable. */
const MAX_UNWRITTEN = 10_000

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
  const writer = createWriter(trail)
  const failureTrail = createTrail(store, 'failures', { maxAgeDays, maxEntries: maxFailures })
  const failureWriter = createWriter(failureTrail)
  const failures = createFailures(async (counted) => {
    const after = await numberOf(failureTrail)
    const entries = counted.map((fields) => ({ entry: createEntry(newEntryId(), fields, now()), after }))
    await failureWriter.append(entries).catch((error: unknown) => {
      logger.warn({ err: error }, 'failures of strangers could not be recorded')
    })
  })
  const pending = createPendingList({
    store,
    index: 'audit:pending',
    keptSeconds: async () => PENDING_SECONDS,
    maxAgeSeconds: () => PENDING_SECONDS,
    what: 'audit entry',
    logger,
    now,
  })
  const outboxes = createOutboxes(store)
  const counting = createCounting({ store, write: writer.append, inBackground, now })
  /** Entries that the store did not take, and that no other process would find. */
  let unwritten: PendingEntry[] = []
  const background = new Set<Promise<unknown>>()

  function inBackground(work: Promise<unknown>): void {
    const done = work
      .catch((error: unknown) => logger.debug({ err: error }, 'an audit entry will be moved later'))
      .finally(() => background.delete(done))
    background.add(done)
  }

  /** Adds entries to the trail, or to what is counted. */
  async function append(entries: readonly PendingEntry[]): Promise<void> {
    const [counted, own] = [entries.filter(({ into }) => into), entries.filter(({ into }) => !into)]
    await Promise.all([counting.add(counted), own.length > 0 && writer.append(own)])
  }

  /** Moves entries from the outbox of a record to the trail. */
  async function move(key: string, entries: readonly PendingEntry[]): Promise<true> {
    await append(entries)
    await outboxes.clear(key, idsOf(entries))
    return true
  }

  /** @param carried the entries that the record under `key` carries. @default all */
  async function finish(
    key: string,
    entries: readonly PendingEntry[],
    member?: string,
    carried = entries,
  ): Promise<void> {
    if (entries.length > 0) {
      try {
        await append(entries)
      } catch (error) {
        logger.debug({ err: error }, 'an audit entry could not be moved yet; it will be moved later')
        // No other process would find these entries, because their record is not listed as pending.
        if (member === undefined) keep(entries, error)
        return
      }
    }
    inBackground(
      (async () => {
        await outboxes.clear(key, idsOf(carried))
        if (member !== undefined) await pending.remove(member)
      })(),
    )
  }

  /** Keeps entries in memory until the store is available. */
  function keep(entries: readonly PendingEntry[], error: unknown): void {
    const room = MAX_UNWRITTEN - unwritten.length
    unwritten.push(...entries.slice(0, room))
    if (entries.length > room) {
      logger.error({ err: error }, 'audit entries are lost: too many wait for the store')
    }
  }

  /** Settles when everything that waits now is written, or could not be written. */
  async function settled(): Promise<void> {
    await writer.settled()
    await Promise.all(background)
  }

  /** The trail that a caller reads. What waits in this process is written before. */
  async function trailOf({ trail: name = 'changes' }: AuditReadOptions | AuditListOptions): Promise<Trail> {
    if (name === 'changes') {
      await settled()
      return trail
    }
    await failures.flush()
    return failureTrail
  }

  const audit = {
    /**
     * Makes a change of a record, together with its entries. The entries are stored by the same write as the change, and
     * move to the trail afterwards. If this process stops in between, another process moves them.
     *
     * @param key the key of the record in the store
     * @param change makes the change, and calls `outbox.put` with each version of the record before it is written
     * @param options.isRemoval true if the change takes access away: it is then made even if it cannot be listed as
     *   pending
     * @throws what `change` throws; `ERR_STORE_UNAVAILABLE` before the change
     */
    async change<T>(
      key: string,
      change: (outbox: Outbox) => Promise<T>,
      { isRemoval = false }: { readonly isRemoval?: boolean | undefined } = {},
    ): Promise<T> {
      const [after, member] = await Promise.all([
        numberOf(trail),
        pending.add(key).catch((error: unknown) => {
          if (isRemoval) return undefined
          throw error
        }),
      ])
      const outbox = createOutbox(after, now, counting.mark)
      try {
        const result = await change(outbox)
        const moved = outbox.toMove()
        counting.settle(outbox.made().filter((each) => !moved.includes(each)))
        await finish(key, moved, member)
        return result
      } catch (error) {
        const isUnchanged = isRejection(error) || isCorruptRecord(error)
        if (isUnchanged) counting.settle(outbox.made())
        if (isUnchanged && member !== undefined) inBackground(pending.remove(member))
        throw error
      }
    },

    /**
     * Makes a change whose records cannot carry the entry, because they are deleted soon. The entry is listed as pending
     * before the change. If this process stops, another process records the entry if it finds the proof of the change.
     *
     * @param change returns whether the change was made
     * @param options.isRemoval as for `change`
     * @throws what `change` throws; `ERR_STORE_UNAVAILABLE` before the change
     */
    async announce<T extends { readonly isMade: boolean }>(
      fields: EntryFields,
      proof: Proof,
      change: () => Promise<T>,
      { isRemoval = false }: { readonly isRemoval?: boolean | undefined } = {},
    ): Promise<T> {
      const made = await audit.entry(fields)
      const member = await pending.add(writeAnnounced({ ...made, proof })).catch((error: unknown) => {
        if (isRemoval) return undefined
        throw error
      })
      const result = await change()
      if (result.isMade) await finish(proof.key, [made], member, [])
      else if (member !== undefined) inBackground(pending.remove(member))
      return result
    },

    /** Makes an entry that is recorded later, by `append`. */
    async entry(fields: EntryFields): Promise<PendingEntry> {
      const after = await numberOf(trail)
      return counting.mark({ entry: createEntry(newEntryId(), fields, now()), after })
    },

    /**
     * Records entries. An entry that is recorded already is not recorded again.
     *
     * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`
     */
    append,

    /**
     * Records something that changed no record. Never rejects: while the store is unavailable, the entry waits in the
     * memory of this process.
     */
    async record(...entries: readonly (EntryFields | PendingEntry)[]): Promise<void> {
      const after = await numberOf(trail)
      const made = entries.map((each) =>
        'entry' in each ? each : counting.mark({ entry: createEntry(newEntryId(), each, now()), after }),
      )
      await append(made).catch((error: unknown) => {
        logger.debug({ err: error }, 'an audit entry could not be written yet; trying again within a minute')
        keep(made, error)
      })
    },

    /** Counts what a stranger tried. It is recorded within a minute. Does no I/O. */
    reject: failures.add,

    /**
     * Moves what other processes left behind, and writes what could not be written.
     *
     * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`
     */
    async resume(): Promise<void> {
      const waiting = unwritten
      unwritten = []
      if (waiting.length > 0) await audit.record(...waiting)
      await pending.resumeAll(async (subject) => {
        if (!isAnnounced(subject)) return move(subject, await outboxes.read(subject))
        const announced = readAnnounced(subject)
        if (announced && (await wasMade(store, announced))) await append([announced])
        return announced !== undefined
      })
      await counting.resume()
    },

    /**
     * Resumes in the background: immediately, and then again every minute.
     *
     * @returns a function that stops this work, and writes what waits
     */
    start(): () => Promise<void> {
      let stopped = false
      const resume = async () => {
        await audit.resume().catch((error: unknown) => {
          if (!stopped)
            logger.warn({ err: error }, 'the audit trail is incomplete; trying again within a minute')
        })
      }
      void findLast(trail).catch(() => {})
      void resume()
      const stop = periodically(resume, RESUME_INTERVAL_MS)
      return async () => {
        stopped = true
        stop()
        counting.end()
        await failures.flush()
        await settled()
      }
    },

    settled,

    async list(options: AuditListOptions = {}): Promise<AuditPage> {
      checkList(options)
      return listEntries(await trailOf(options), options)
    },

    async *read(options: AuditReadOptions = {}): AsyncGenerator<AuditRecord> {
      checkRead(options)
      yield* readEntries(await trailOf(options), options)
    },
  }
  return audit
}

/** The audit trail of one process. */
export type Audit = ReturnType<typeof createAudit>

/** The methods that services need to record what they do. */
export type AuditWriter = Pick<Audit, 'change' | 'announce' | 'record' | 'append' | 'entry' | 'reject'>
