import type { Logger } from '../host/logger.ts'
import type { Store } from '../store/contract.ts'
import { createEntry, type EntryFields, type PendingEntry } from './entry.ts'
import { createCounting } from './counting.ts'
import { erasePending, type ErasedPeople } from './erase-entry.ts'
import { createKept } from './kept-in-memory.ts'
import { createOutbox } from './outbox.ts'
import { numberOf, type Trail } from './trail.ts'
import { createWriter } from './writer.ts'

/**
 * Records events in the trail `changes`: all events except those of `failures-trail.ts`. Until the entry of a change is
 * in the trail, `commit/` has it in the changed record, or in the list of unfinished changes.
 */
export function createRecording(parts: {
  readonly store: Store
  readonly trail: Trail
  readonly logger: Logger
  readonly now: () => number
}) {
  const { store, trail, logger, now } = parts
  const writer = createWriter(trail)
  const background = new Set<Promise<unknown>>()
  const counting = createCounting({ store, write: writer.append, inBackground, now })
  const kept = createKept({ write: append, what: 'audit entries', logger })

  function inBackground(work: Promise<unknown>): void {
    const done = work
      .catch((error: unknown) => logger.debug({ err: error }, 'a change will be finished later'))
      .finally(() => background.delete(done))
    background.add(done)
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

  return {
    append,
    /** What `settled` waits for. */
    inBackground,
    /** For entries that no other process can find. */
    keep: kept.keep,
    /** For entries of a change that did not happen. */
    withdraw: counting.settle,
    outbox: async () => createOutbox(await numberOf(trail), now, counting.mark),

    async entry(fields: EntryFields): Promise<PendingEntry> {
      return counting.mark({ entry: createEntry(fields, now()), after: await numberOf(trail) })
    },

    /** Never rejects: while the store is unavailable, the entries wait in the memory of this process. */
    async record(...entries: readonly (EntryFields | PendingEntry)[]): Promise<void> {
      const after = await numberOf(trail)
      const made = entries.map((each) =>
        'entry' in each ? each : counting.mark({ entry: createEntry(each, now()), after }),
      )
      await append(made).catch((error: unknown) => {
        logger.debug({ err: error }, 'an audit entry could not be written yet; trying again')
        kept.keep(made)
      })
    },

    settled,

    /** Records what this process could not write before, and counts of stopped processes. */
    async resume(): Promise<void> {
      await kept.flush()
      await counting.resume()
    },

    /** Entries in the memory of another process stay unchanged. */
    async erase(people: ErasedPeople): Promise<void> {
      await kept.rewrite((entry) => erasePending(entry, people))
      await counting.erase(people)
      await settled()
    },

    async stop(): Promise<void> {
      counting.end()
      await kept.stop()
    },
  }
}
