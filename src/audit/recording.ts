import type { Logger } from '../host/logger.ts'
import type { Store } from '../store/contract.ts'
import { createEntry, type EntryFields, type PendingEntry, isPendingEntry } from './entry.ts'
import { createCounting } from './counting.ts'
import { erasePending, type ErasedPeople } from './erase-entry.ts'
import { createKept } from './kept-in-memory.ts'
import { numberOf, type Trail } from './trail.ts'
import { createWriter } from './writer.ts'
import { setTimeout as delay } from 'node:timers/promises'
import { corruptValue } from '../store/corrupt-record.ts'
import type { StoreWithMemory } from '../store/met-corrupt-records.ts'
import { parseJson } from '../validation/parse-json.ts'
import { isObject } from '../validation/predicates.ts'

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

export interface WithOutbox {
  /** The entries of the last changes, until they are in the audit trail. */
  readonly audit?: readonly PendingEntry[] | undefined
}

/** The entries of one change. A retry of the change gives its entries the same ids. */
function createOutbox(after: number, now: () => number, mark: (pending: PendingEntry) => PendingEntry) {
  const made: { readonly fields: string; readonly pending: PendingEntry }[] = []

  return {
    /** Call it before each write. @returns the record with the entries */
    put<T extends WithOutbox>(record: T, entries: readonly EntryFields[]): T {
      const own = entries.map((fields, at) => {
        const text = JSON.stringify(fields)
        const before = made[at]
        if (before?.fields === text) return before.pending
        const entry = createEntry(fields, now(), before?.pending.entry.id)
        made[at] = { fields: text, pending: mark({ entry, after }) }
        return made[at].pending
      })
      return own.length === 0 ? record : { ...record, audit: [...carriedBy(record), ...own] }
    },
    /** All entries that were made, also those of a change that did not happen. */
    made: () => made.map(({ pending }) => pending),
  }
}

/** So that changes of a busy record share one write, which they would otherwise have to repeat theirs for. */
const CLEAR_AFTER_MS = 5

/** After these, the entries stay in the record. They are in the trail already, and a later change removes them. */
const MAX_ATTEMPTS = 50

/** Reads and clears the outbox of any record that is stored as JSON without a time to live. */
export function createOutboxes(store: StoreWithMemory) {
  /** The ids of the entries that the next clearing removes, by the key of their record. */
  const clearing = new Map<string, { readonly ids: Set<string>; readonly done: Promise<void> }>()

  async function clearNow(key: string, ids: ReadonlySet<string>): Promise<void> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const text = await store.get(key)
      const record = parse(text)
      if (text === undefined || !record) return
      const { audit: _, ...others } = record
      const left = carriedBy(record).filter(({ entry }) => !ids.has(entry.id))
      if (left.length === carriedBy(record).length) return
      const cleared = JSON.stringify(left.length === 0 ? others : { ...others, audit: left })
      if (await store.replace(key, text, cleared)) return
      await delay(Math.random() * Math.min(100, 5 * attempt))
    }
  }

  return {
    /** @throws {GatehouseError} `ERR_STORE_CORRUPT` if the record or an entry is corrupt */
    async read(key: string): Promise<readonly PendingEntry[]> {
      const text = await store.get(key)
      if (text === undefined) return []
      const record = parse(text)
      const audit = record ? (record['audit'] ?? []) : undefined
      if (Array.isArray(audit) && audit.every(isPendingEntry)) return audit
      const error = corruptValue(key, 'has no readable entries for the audit trail')
      store.metCorrupt?.add(key, error)
      throw error
    },

    /** Calls for the same record share one write. */
    async clear(key: string, ids: readonly string[]): Promise<void> {
      if (ids.length === 0) return
      const waiting = clearing.get(key)
      if (waiting) {
        for (const id of ids) waiting.ids.add(id)
        return waiting.done
      }
      const all = new Set(ids)
      const done = delay(CLEAR_AFTER_MS).then(async () => {
        clearing.delete(key)
        await clearNow(key, all)
      })
      clearing.set(key, { ids: all, done })
      return done
    },
  }
}

/** Without corrupt entries. */
export function carriedBy(record: WithOutbox | undefined): readonly PendingEntry[] {
  return Array.isArray(record?.audit) ? record.audit.filter(isPendingEntry) : []
}

function parse(text = ''): Readonly<Record<string, unknown>> | undefined {
  const value = parseJson(text)
  return isObject(value) ? value : undefined
}

export function idsOf(entries: readonly PendingEntry[]): string[] {
  return entries.map(({ entry }) => entry.id)
}
