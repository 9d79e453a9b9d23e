import { setTimeout as delay } from 'node:timers/promises'
import { GatehouseError } from '../errors.ts'
import { isObject } from '../validation/predicates.ts'
import { parseJson } from '../validation/parse-json.ts'
import { anyValue, objectOf, type Fields, type Rule } from '../validation/rules.ts'
import { corruptValue, CorruptRecord, isCorruptRecord } from './corrupt-record.ts'
import type { StoreWithMemory } from './met-corrupt-records.ts'
import { pagesOf, type Part } from './pages-of-index.ts'
import { isDeepStrictEqual } from 'node:util'

export interface Stored<T> {
  readonly record: T
  readonly text: string
}

/** With random pauses between them, enough for any real number of concurrent changes. */
const MAX_UPDATE_ATTEMPTS = 200

/** The most that a store reads at once. */
const MAX_KEYS = 1000

export interface RecordSchema {
  /** The first part of each key: `name:id`. */
  readonly name: string
  readonly version: number
  /** A record that breaks its rules is corrupt. */
  readonly fields?: Fields | ((id: string) => Rule) | undefined
}

export interface PutOptions<T> {
  readonly ttl?: number | ((changed: T) => number) | undefined
  /** Called before each write, which may then fail because of a concurrent change. */
  readonly beforeWrite?: ((changed: T, before: T | undefined) => Promise<unknown>) | undefined
}

export interface Listed<T> {
  readonly member: string
  readonly record: T
}

export interface PagesOptions extends Part {
  readonly idOf?: ((member: string) => string) | undefined
}

/** Typed records in the store. A corrupt one (`CorruptRecord`) is `ERR_STORE_CORRUPT`, and the store remembers it. */
export function createCollection<T extends object>(store: StoreWithMemory, schema: RecordSchema) {
  const { name, version, fields = {} } = schema
  const rule = typeof fields === 'function' ? anyValue : objectOf(fields)
  const ruleOf = typeof fields === 'function' ? fields : () => rule
  const key = (id: string) => `${name}:${id}`
  const encode = (record: T) => JSON.stringify({ v: version, ...record })
  const decode = (id: string, text: string) => decodeRecord(key(id), text, version, ruleOf(id)) as T

  function decodeIfPresent(id: string, text: string | undefined): T | undefined {
    try {
      return text === undefined ? undefined : decode(id, text)
    } catch (error) {
      if (isCorruptRecord(error)) store.metCorrupt?.add(key(id), error)
      throw error
    }
  }

  async function read(id: string): Promise<Stored<T> | undefined> {
    const text = await store.get(key(id))
    const record = decodeIfPresent(id, text)
    return text === undefined || record === undefined ? undefined : { record, text }
  }

  /** `change` is pure, and called again after a concurrent change, so that none is lost. Undefined for no change. */
  async function put(
    id: string,
    change: (record: T | undefined) => T | undefined,
    { ttl, beforeWrite }: PutOptions<T> = {},
  ): Promise<T | undefined> {
    for (let attempt = 0; attempt < MAX_UPDATE_ATTEMPTS; attempt += 1) {
      const stored = await read(id)
      const changed = change(stored?.record)
      if (!changed) return stored?.record
      await beforeWrite?.(changed, stored?.record)
      const [text, seconds] = [encode(changed), typeof ttl === 'function' ? ttl(changed) : ttl]
      const isWritten = stored
        ? store.replace(key(id), stored.text, text, seconds)
        : store.create(key(id), text, seconds)
      if (await isWritten) return changed
      await delay(Math.random() * Math.min(50, 2 * attempt))
    }
    throw new GatehouseError('ERR_CONFLICT', `"${key(id)}" has too many concurrent changes; try again`)
  }

  async function getPage(ids: readonly string[]): Promise<(T | CorruptRecord | undefined)[]> {
    const texts = await store.getMany(ids.map(key)).catch((error: unknown) => {
      if (!isCorruptRecord(error)) throw error
      return undefined
    })
    const readOne = async (id: string, index: number) => {
      try {
        return decodeIfPresent(id, texts ? texts[index] : await store.get(key(id)))
      } catch (error) {
        if (!isCorruptRecord(error)) throw error
        return new CorruptRecord(id, key(id), error)
      }
    }
    return Promise.all(ids.map(readOne))
  }

  /** The records in the order of `ids`; a `CorruptRecord` for a corrupt one. */
  async function getEach(ids: readonly string[]): Promise<(T | CorruptRecord | undefined)[]> {
    const found = await getPage(ids.slice(0, MAX_KEYS))
    return ids.length > MAX_KEYS ? [...found, ...(await getEach(ids.slice(MAX_KEYS)))] : found
  }

  return {
    key,
    getEach,

    /** For a backup. */
    toText: encode,

    /** @throws {GatehouseError} `ERR_STORE_CORRUPT` if the record is corrupt */
    fromText: decode,

    /** The record with its stored text, for a later `replace`. */
    read,

    async get(id: string): Promise<T | undefined> {
      return (await read(id))?.record
    },

    /** The records in the order of `ids`. Rejects if any record is corrupt. */
    async getMany(ids: readonly string[]): Promise<(T | undefined)[]> {
      const texts = await store.getMany(ids.map(key))
      return ids.map((id, index) => decodeIfPresent(id, texts[index]))
    },

    /** The records that an index lists, page by page. @param idOf the id of the record of a member */
    async *pages(index: string, { idOf = (member: string) => member, ...part }: PagesOptions = {}) {
      for await (const members of pagesOf(store, index, part)) {
        const found = await getEach(members.map(idOf))
        yield {
          items: found.flatMap((record, at): Listed<T> | [] =>
            record && !(record instanceof CorruptRecord) ? { member: members[at] ?? '', record } : [],
          ),
          corrupt: found.filter((record) => record instanceof CorruptRecord),
        }
      }
    },

    /** False if the id is taken. */
    create: (id: string, record: T, ttl?: number) => store.create(key(id), encode(record), ttl),

    set: (id: string, record: T, ttl?: number) => store.set(key(id), encode(record), ttl),

    /** False if another process has changed the record since `expected` was read. */
    replace: (id: string, expected: Stored<T>, record: T, ttl?: number) =>
      store.replace(key(id), expected.text, encode(record), ttl),

    delete: (id: string) => store.delete(key(id)),

    put,

    /** As `put`, but an absent record stays absent. */
    update: (id: string, change: (record: T) => T | undefined, ttl?: number) =>
      put(id, (record) => record && change(record), { ttl }),
  }
}

/** For a `change` that changes nothing: the record is written again, to confirm its last write as durable. */
export function confirmDurable<T>(record: T): T {
  return record
}

export type Collection<T extends object> = ReturnType<typeof createCollection<T>>

const NOT_A_RECORD = 'is not a record of koa-gatehouse'

function decodeRecord(key: string, text: string, version: number, rule: Rule): object {
  const value = parseJson(text)
  if (!isObject(value)) throw corruptValue(key, NOT_A_RECORD)
  const { v, ...record } = value
  if (v !== version) throw unknownVersion(key, v, version)
  if (rule(record) !== undefined) throw corruptValue(key, NOT_A_RECORD)
  return record
}

/** A version is quoted only if it is a number, because any other value may be secret data. */
function unknownVersion(key: string, found: unknown, version: number): GatehouseError {
  const isNewer = Number.isInteger(found) && Number(found) > version
  const why = isNewer
    ? `has schema version ${String(found)}, but this version of koa-gatehouse reads up to ${version}: start the newer version of koa-gatehouse that wrote it`
    : `has an unknown schema version, and this version of koa-gatehouse reads up to ${version}: another program may write to the same keys`
  return new GatehouseError('ERR_STORE_CORRUPT', `the record "${key}" ${why}`)
}

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
