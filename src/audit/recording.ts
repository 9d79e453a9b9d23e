import { isCorruptRecord } from '../store/corrupt-record.ts'
import { isRejection } from '../errors.ts'
import type { Logger } from '../host/logger.ts'
import type { Store } from '../store/contract.ts'
import { createPendingList } from '../store/pending-list.ts'
import { isAnnounced, readAnnounced, wasMade, writeAnnounced, type Proof } from './announced-entry.ts'
import { createEntry, type EntryFields, type PendingEntry } from './entry.ts'
import { createCounting, type Counting } from './counting.ts'
import { createKept } from './kept-in-memory.ts'
import { createOutbox, createOutboxes, idsOf, type Outbox } from './outbox.ts'
import { numberOf, type Trail } from './trail.ts'
import { createWriter, type Writer } from './writer.ts'

/** Seconds for which a change stays listed as pending if no process completes it. */
const PENDING_SECONDS = 30 * 86_400

/** A change that removes access is made even if it cannot be listed as pending. */
export interface ChangeKind {
  readonly isRemoval?: boolean | undefined
}

export type Recording = ReturnType<typeof createRecording>

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
  const { store, logger, now } = parts
  const writer = createWriter(parts.trail)
  const background = new Set<Promise<unknown>>()

  function inBackground(work: Promise<unknown>): void {
    const done = work
      .catch((error: unknown) => logger.debug({ err: error }, 'an audit entry will be moved later'))
      .finally(() => background.delete(done))
    background.add(done)
  }

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
  return {
    ...parts,
    writer,
    inBackground,
    background,
    pending,
    outboxes: createOutboxes(store),
    counting,
    kept: createKept({
      list: pending.add,
      write: (entries) => append({ counting, writer }, entries),
      logger,
    }),
  }
}

/** Makes an entry that is recorded later, by `append`. */
export async function newEntry(recording: Recording, fields: EntryFields): Promise<PendingEntry> {
  const after = await numberOf(recording.trail)
  return recording.counting.mark({ entry: createEntry(fields, recording.now()), after })
}

/**
 * Entries that are only counted are stored until their count is written. An entry that is recorded already is
 * not recorded again.
 */
export async function append(
  { counting, writer }: { readonly counting: Counting; readonly writer: Writer },
  entries: readonly PendingEntry[],
): Promise<void> {
  const [counted, own] = [entries.filter(({ into }) => into), entries.filter(({ into }) => !into)]
  await Promise.all([counting.add(counted), own.length > 0 && writer.append(own)])
}

export async function settled({ writer, background }: Recording): Promise<void> {
  await writer.settled()
  await Promise.all(background)
}

/**
 * Changes a record, and records the entries of the change. The same write stores the change and its entries.
 * The entries are then moved to the trail. If this process stops before that, another process moves the
 * entries.
 */
export async function recordChange<T>(
  recording: Recording,
  key: string,
  change: (outbox: Outbox) => Promise<T>,
  { isRemoval = false }: ChangeKind = {},
): Promise<T> {
  const { trail, pending, counting, now, inBackground } = recording
  const [after, member] = await Promise.all([numberOf(trail), addTo(pending, key, isRemoval)])
  const outbox = createOutbox(after, now, counting.mark)
  try {
    const result = await change(outbox)
    const own = outbox.toMove()
    // If this call repeats an earlier call and changes nothing, the earlier call may have left entries in the outbox,
    // and its change may not be listed as pending.
    const moved = own.length === 0 && isRemoval ? await recording.outboxes.read(key) : own
    counting.settle(outbox.made().filter((each) => !moved.includes(each)))
    await finish(recording, key, moved, member)
    return result
  } catch (error) {
    const isUnchanged = isRejection(error) || isCorruptRecord(error)
    if (isUnchanged) counting.settle(outbox.made())
    if (isUnchanged && member !== undefined) inBackground(pending.remove(member))
    if (!isUnchanged && member === undefined) recording.kept.keepSubject(key)
    throw error
  }
}

/** Undefined if the change could not be listed, but is made anyway because it removes access. */
function addTo({ add }: Recording['pending'], subject: string, isRemoval: boolean) {
  return isRemoval ? add(subject).catch(() => undefined) : add(subject)
}

/**
 * Makes a change whose records cannot carry the entry, because these records are deleted soon. The entry is
 * listed as pending before the change. If this process stops, another process looks for the proof of the
 * change, and then records the entry.
 */
export async function recordAnnounced<T extends { readonly isMade: boolean }>(
  recording: Recording,
  fields: EntryFields,
  proof: Proof,
  change: () => Promise<T>,
  { isRemoval = false }: ChangeKind = {},
): Promise<T> {
  const { pending, inBackground } = recording
  const made = await newEntry(recording, fields)
  const member = await addTo(pending, writeAnnounced({ ...made, proof }), isRemoval)
  const result = await change()
  if (result.isMade) await finish(recording, proof.key, [made], member, [])
  else if (member !== undefined) inBackground(pending.remove(member))
  return result
}

/** Never rejects: while the store is unavailable, the entries wait in the memory of this process. */
export async function record(
  recording: Recording,
  entries: readonly (EntryFields | PendingEntry)[],
): Promise<void> {
  const { counting, now } = recording
  const after = await numberOf(recording.trail)
  const made = entries.map((each) =>
    'entry' in each ? each : counting.mark({ entry: createEntry(each, now()), after }),
  )
  await append(recording, made).catch((error: unknown) => {
    recording.logger.debug({ err: error }, 'an audit entry could not be written yet; trying again')
    recording.kept.keep(made)
  })
}

/** @param carried the entries that the record under `key` carries. @default all of `entries` */
async function finish(
  recording: Recording,
  key: string,
  entries: readonly PendingEntry[],
  member?: string,
  carried = entries,
): Promise<void> {
  const { pending, outboxes, logger, inBackground } = recording
  if (entries.length > 0) {
    try {
      await append(recording, entries)
    } catch (error) {
      logger.debug({ err: error }, 'an audit entry could not be moved yet; it will be moved later')
      // No other process would find these entries, because their record is not listed as pending.
      if (member === undefined) recording.kept.keep(entries)
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

export async function moveToTrail(recording: Recording, key: string): Promise<void> {
  const entries = await recording.outboxes.read(key)
  await append(recording, entries)
  await recording.outboxes.clear(key, idsOf(entries))
}

/** Records what stopped processes left in the store, and what this process could not write before. */
export async function resume(recording: Recording): Promise<void> {
  const { store, pending, counting, kept } = recording
  await kept.flush()
  await pending.resumeAll(async (subject) => {
    if (!isAnnounced(subject)) {
      await moveToTrail(recording, subject)
      return true
    }
    const announced = readAnnounced(subject)
    if (announced && (await wasMade(store, announced))) await append(recording, [announced])
    return announced !== undefined
  })
  await counting.resume()
}
