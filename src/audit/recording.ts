import { isCorruptRecord } from '../store/corrupt-record.ts'
import { isRejection } from '../errors.ts'
import type { Logger } from '../host/logger.ts'
import type { Store } from '../store/contract.ts'
import { createPendingList } from '../store/pending-list.ts'
import { parseJson } from '../validation/parse-json.ts'
import { isObject, isText } from '../validation/predicates.ts'
import { createEntry, isPendingEntry, type EntryFields, type PendingEntry } from './entry.ts'
import { createCounting } from './counting.ts'
import { erasePending, type ErasedPeople } from './erase-entry.ts'
import { createKept } from './kept-in-memory.ts'
import { createOutbox, createOutboxes, idsOf, type Outbox } from './outbox.ts'
import { numberOf, type Trail } from './trail.ts'
import { createWriter } from './writer.ts'

/** Seconds for which a change stays listed as pending if no process completes it. */
const PENDING_SECONDS = 30 * 86_400

/** A change that removes access is made even if it cannot be listed as pending. */
export interface ChangeKind {
  readonly isRemoval?: boolean | undefined
}

/** How another process finds out whether a change was made. */
export interface Proof {
  /** The key of a record that exists before the change. The change replaces the record, which is deleted later. */
  readonly key: string
  /** A text that the record contains only after the change. */
  readonly text: string
}

/** An entry that is listed as pending before its change is made, because the changed record is deleted soon. */
interface AnnouncedEntry extends PendingEntry {
  readonly proof: Proof
}

/**
 * Records events in the trail `changes`: all events except those of `failures-trail.ts`. Until an entry is in
 * the trail, it is in the outbox of the changed record, or in the list of pending changes. So another process
 * can record the entry if this process stops.
 */
export function createRecording(parts: {
  readonly store: Store
  readonly trail: Trail
  readonly logger: Logger
  readonly now: () => number
}) {
  const { store, trail, logger, now } = parts
  const writer = createWriter(trail)
  const outboxes = createOutboxes(store)
  const background = new Set<Promise<unknown>>()
  const counting = createCounting({ store, write: writer.append, inBackground, now })
  const pending = createPendingList({
    store,
    index: 'audit:pending',
    keptSeconds: async () => PENDING_SECONDS,
    maxAgeSeconds: () => PENDING_SECONDS,
    what: 'audit entry',
    logger,
    now,
  })
  const kept = createKept({ list: pending.add, write: append, logger })

  function inBackground(work: Promise<unknown>): void {
    const done = work
      .catch((error: unknown) => logger.debug({ err: error }, 'an audit entry will be moved later'))
      .finally(() => background.delete(done))
    background.add(done)
  }

  async function newEntry(fields: EntryFields): Promise<PendingEntry> {
    return counting.mark({ entry: createEntry(fields, now()), after: await numberOf(trail) })
  }

  /** An entry that is recorded already is not recorded again. */
  async function append(entries: readonly PendingEntry[]): Promise<void> {
    const [counted, own] = [entries.filter(({ into }) => into), entries.filter(({ into }) => !into)]
    await Promise.all([counting.add(counted), own.length > 0 && writer.append(own)])
  }

  async function settled(): Promise<void> {
    await writer.settled()
    await Promise.all(background)
  }

  /** Undefined if the change could not be listed, but is made anyway because it removes access. */
  const addToPending = (subject: string, { isRemoval }: ChangeKind) =>
    isRemoval ? pending.add(subject).catch(() => undefined) : pending.add(subject)

  /** One write stores the change and its entries, so another process moves the entries if this one stops. */
  async function change<T>(
    key: string,
    makeChange: (outbox: Outbox) => Promise<T>,
    kind: ChangeKind = {},
  ): Promise<T> {
    const [after, member] = await Promise.all([numberOf(trail), addToPending(key, kind)])
    const outbox = createOutbox(after, now, counting.mark)
    try {
      const result = await makeChange(outbox)
      const own = outbox.toMove()
      // If this call repeats an earlier call and changes nothing, the earlier call may have left entries in the outbox,
      // and its change may not be listed as pending.
      const moved = own.length === 0 && kind.isRemoval ? await outboxes.read(key) : own
      counting.settle(outbox.made().filter((each) => !moved.includes(each)))
      await finish(key, moved, member)
      return result
    } catch (error) {
      const isUnchanged = isRejection(error) || isCorruptRecord(error)
      if (isUnchanged) counting.settle(outbox.made())
      if (isUnchanged && member !== undefined) inBackground(pending.remove(member))
      if (!isUnchanged && member === undefined) kept.keepSubject(key)
      throw error
    }
  }

  /**
   * For a change whose records are deleted soon, so that they cannot carry the entry. The entry is listed as pending
   * before the change. If this process stops, another one looks for the proof of the change, and records the entry.
   */
  async function announce<T extends { readonly isMade: boolean }>(
    fields: EntryFields,
    proof: Proof,
    makeChange: () => Promise<T>,
    kind: ChangeKind = {},
  ): Promise<T> {
    const made = await newEntry(fields)
    const member = await addToPending(writeAnnounced({ ...made, proof }), kind)
    const result = await makeChange()
    if (result.isMade) await finish(proof.key, [made], member, [])
    else if (member !== undefined) inBackground(pending.remove(member))
    return result
  }

  /** Never rejects: while the store is unavailable, the entries wait in the memory of this process. */
  async function record(...entries: readonly (EntryFields | PendingEntry)[]): Promise<void> {
    const after = await numberOf(trail)
    const made = entries.map((each) =>
      'entry' in each ? each : counting.mark({ entry: createEntry(each, now()), after }),
    )
    await append(made).catch((error: unknown) => {
      logger.debug({ err: error }, 'an audit entry could not be written yet; trying again')
      kept.keep(made)
    })
  }

  /** @param carried the entries that the record under `key` carries. @default all of `entries` */
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
        if (member === undefined) kept.keep(entries)
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

  async function moveToTrail(key: string): Promise<void> {
    const entries = await outboxes.read(key)
    await append(entries)
    await outboxes.clear(key, idsOf(entries))
  }

  return {
    change,
    announce,
    entry: newEntry,
    append,
    record,
    settled,

    /** Records what stopped processes left in the store, and what this process could not write before. */
    async resume(): Promise<void> {
      await kept.flush()
      await pending.resumeAll(async (subject) => {
        if (!isAnnounced(subject)) {
          await moveToTrail(subject)
          return true
        }
        const announced = readAnnounced(subject)
        if (announced && (await wasMade(store, announced))) await append([announced])
        return announced !== undefined
      })
      await counting.resume()
    },

    /** Entries in the memory of another process stay unchanged. */
    async erase(people: ErasedPeople): Promise<void> {
      await kept.rewrite((entry) => erasePending(entry, people))
      for (const subject of await pending.list()) {
        if (isAnnounced(subject)) continue
        try {
          await moveToTrail(subject)
        } catch (error) {
          // A corrupt record stays, so that an operator can examine it.
          if (!isCorruptRecord(error)) throw error
        }
      }
      await pending.rewrite((subject) => {
        const announced = isAnnounced(subject) ? readAnnounced(subject) : undefined
        return announced ? writeAnnounced(erasePending(announced, people)) : subject
      })
      await counting.erase(people)
      await settled()
    },

    async stop(): Promise<void> {
      counting.end()
      await kept.stop()
    },
  }
}

function writeAnnounced(announced: AnnouncedEntry): string {
  return JSON.stringify(announced)
}

/** Other subjects are keys, which never begin with `{`. */
function isAnnounced(subject: string): boolean {
  return subject.startsWith('{')
}

/** Reads an entry from its subject. @returns undefined if the subject is corrupt */
function readAnnounced(subject: string): AnnouncedEntry | undefined {
  const value = parseJson(subject)
  if (!isPendingEntry(value) || !('proof' in value) || !isObject(value.proof)) return undefined
  const { key, text } = value.proof
  return isText(key) && isText(text) ? { ...value, proof: { key, text } } : undefined
}

/** Whether the change was made: the record of the proof contains the text, or was deleted after the change. */
async function wasMade(store: Store, { proof: { key, text } }: AnnouncedEntry): Promise<boolean> {
  const record = await store.get(key)
  return record === undefined || record.includes(text)
}
