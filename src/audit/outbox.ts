import { setTimeout as delay } from 'node:timers/promises'
import { GatehouseError } from '../errors.ts'
import { metCorruptRecord, type StoreWithMemory } from '../store/met-corrupt-records.ts'
import { parseJson } from '../validation/parse-json.ts'
import { isObject } from '../validation/predicates.ts'
import { createEntry, isPendingEntry, type EntryFields, type PendingEntry } from './entry.ts'

export interface WithOutbox {
  /** The entries of the last changes, until they are in the audit trail. */
  readonly audit?: readonly PendingEntry[] | undefined
}

/** The entries of one change. A retry of the change gives its entries the same ids. */
export function createOutbox(
  after: number,
  now: () => number,
  mark: (pending: PendingEntry) => PendingEntry,
) {
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
      const message = `the value under "${key}" in the store has no readable entries for the audit trail`
      const error = new GatehouseError('ERR_STORE_CORRUPT', message)
      metCorruptRecord(store, key, error)
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
      const done = delay(0).then(async () => {
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
