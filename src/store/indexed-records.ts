import { isDeepStrictEqual } from 'node:util'
import { createCollection, type RecordSchema } from './collection.ts'
import type { StoreWithMemory } from './met-corrupt-records.ts'

/** Where a record is listed. */
export type Entry = readonly [index: string, member: string]

interface IndexedSchema<T> extends RecordSchema {
  /** Pure. */
  readonly entriesOf: (record: T, id: string) => readonly Entry[]
  /** The indexes whose outdated entries stay until a reader finds them. */
  readonly lasting?: readonly string[]
}

/** Pure. Undefined for no change. */
type Change<T> = (record: T | undefined) => T | undefined

/**
 * Records that are listed in indexes. The entries of a record are added before the record is written, so every stored
 * record is listed. The entries that it has no more are removed afterwards. If a process stops in between, entries
 * without such a record stay: readers skip them, and remove them when they are old.
 */
export function createIndexedRecords<T extends object>(store: StoreWithMemory, schema: IndexedSchema<T>) {
  const { entriesOf, lasting = [] } = schema
  const records = createCollection<T>(store, schema)
  const entriesIf = (id: string, record: T | undefined) => (record ? entriesOf(record, id) : [])
  const add = (entries: readonly Entry[]) => Promise.all(entries.map((entry) => store.add(...entry)))
  const remove = (entries: readonly Entry[]) => Promise.all(entries.map((entry) => store.remove(...entry)))

  /** Writes after `ready`. @returns the entries that the change may have touched, also after an error */
  function write(id: string, change: Change<T>, ready?: Promise<unknown>) {
    const touched: Entry[] = []
    const stored = records.put(id, change, {
      async beforeWrite(changed, before) {
        const [next, last] = [entriesOf(changed, id), entriesIf(id, before)]
        const gained = without(next, last)
        touched.push(...[...gained, ...without(last, next)].filter(([index]) => !lasting.includes(index)))
        await Promise.all([ready, add(gained)])
      },
    })
    return { stored, touched }
  }

  /** Removes those of the entries that the stored record does not have. */
  async function tidy(id: string, entries: readonly Entry[], stored?: T): Promise<void> {
    const lost = without(entries, entriesIf(id, stored ?? (await records.get(id))))
    const kept = without(entries, lost)
    // A change at the same time may have removed what this one had added before its write.
    await Promise.all([remove(lost), add(kept)])
    // A change at the same time may have set what was just removed, or have lost what was just added.
    const present = entriesIf(id, await records.get(id))
    await Promise.all([add(without(lost, without(lost, present))), remove(without(kept, present))])
  }

  /** If this fails, readers skip the entries that are left. */
  const tidyLater = async (id: string, touched: readonly Entry[], stored?: T) => {
    if (touched.length > 0) await tidy(id, touched, stored).catch(() => {})
  }

  /** As `put`, but the caller waits for `tidied`, which never rejects. */
  async function change(id: string, apply: Change<T>, ready?: Promise<unknown>) {
    const { stored, touched } = write(id, apply, ready)
    try {
      const record = await stored
      return { stored: record, tidied: tidyLater(id, touched, record) }
    } catch (error) {
      await tidyLater(id, touched)
      throw error
    }
  }

  async function put(id: string, apply: Change<T>): Promise<T | undefined> {
    const { stored, tidied } = await change(id, apply)
    await tidied
    return stored
  }

  return {
    ...records,

    /** For a record that is written in another way. */
    list: (id: string, record: T) => add(entriesOf(record, id)),

    /** @param kept a record under the same id, whose entries stay */
    unlist: (id: string, record: T, kept?: T) => remove(without(entriesOf(record, id), entriesIf(id, kept))),

    put,
    change,
    update: (id: string, apply: (record: T) => T | undefined) => put(id, (record) => record && apply(record)),

    /** As `change`, for the last change of a record: the caller calls `unlist` when all else is done. */
    async end(id: string, apply: Change<T>, ready?: Promise<unknown>) {
      return { stored: await write(id, apply, ready).stored, tidied: Promise.resolve() }
    },
  }
}

function without(entries: readonly Entry[], others: readonly Entry[]): readonly Entry[] {
  return entries.filter((entry) => !others.some((each) => isDeepStrictEqual(each, entry)))
}
