import { setTimeout as delay } from 'node:timers/promises'
import { GatehouseError } from '../errors.ts'
import { isCorruptRecord, CorruptRecord } from './corrupt-record.ts'
import { metCorruptRecord, type StoreWithMemory } from './met-corrupt-records.ts'
import { decodeRecord, encodeRecord, type RecordSchema } from './record-format.ts'

/** A record with its exact stored text, which `replace` compares. */
export interface Stored<T> {
  readonly record: T
  readonly text: string
}

/**
 * The number of attempts after which an update fails. With random pauses between the attempts, this number is
 * enough for any real number of concurrent changes.
 */
const MAX_UPDATE_ATTEMPTS = 200

/**
 * Typed records in the store. A record that cannot be parsed, breaks its rules, or has another schema version
 * is reported as ERR_STORE_CORRUPT, and the store remembers it.
 *
 * @param options.name the first part of each key: `name:id`
 */
export function createCollection<T extends object>(
  store: StoreWithMemory,
  { name, ...schema }: RecordSchema & { readonly name: string },
) {
  const key = (id: string) => `${name}:${id}`
  const encode = (record: T) => encodeRecord(record, schema)
  const decode = (id: string, text: string) => decodeRecord(id, key(id), text, schema) as T

  function decodeIfPresent(id: string, text: string | undefined): T | undefined {
    try {
      return text === undefined ? undefined : decode(id, text)
    } catch (error) {
      if (isCorruptRecord(error)) metCorruptRecord(store, key(id), error)
      throw error
    }
  }

  async function read(id: string): Promise<Stored<T> | undefined> {
    const text = await store.get(key(id))
    const record = decodeIfPresent(id, text)
    return text === undefined || record === undefined ? undefined : { record, text }
  }

  return {
    /** The key in the store. */
    key,

    /** The stored form of a record, for a backup. */
    toText: encode,

    /**
     * Parses the stored form of a record.
     *
     * @throws {GatehouseError} `ERR_STORE_CORRUPT` if the record is corrupt
     */
    fromText: decode,

    /** The record with its stored text, for a later `replace`. */
    read,

    /** The record, or undefined. */
    async get(id: string): Promise<T | undefined> {
      return (await read(id))?.record
    },

    /**
     * The records in the order of `ids`, with undefined for each absent record. Rejects if any record is
     * corrupt.
     */
    async getMany(ids: readonly string[]): Promise<(T | undefined)[]> {
      const texts = await store.getMany(ids.map(key))
      return ids.map((id, index) => decodeIfPresent(id, texts[index]))
    },

    /** Like `getMany`, but a corrupt record is a `CorruptRecord` in the list. */
    async getEach(ids: readonly string[]): Promise<(T | CorruptRecord | undefined)[]> {
      const texts = await store.getMany(ids.map(key)).catch((error: unknown) => {
        if (!isCorruptRecord(error)) throw error
        return undefined
      })
      const readOne = async (id: string, index: number) =>
        decodeIfPresent(id, texts ? texts[index] : await store.get(key(id)))
      return Promise.all(ids.map((id, index) => orCorrupt(id, key(id), () => readOne(id, index))))
    },

    /** Stores a new record; false if the id is taken. */
    create: (id: string, record: T, ttl?: number) => store.create(key(id), encode(record), ttl),

    /** Stores the record, and overwrites an existing record. */
    set: (id: string, record: T, ttl?: number) => store.set(key(id), encode(record), ttl),

    /** Stores the record only if the stored text still equals the text of `expected`. */
    replace: (id: string, expected: Stored<T>, record: T, ttl?: number) =>
      store.replace(key(id), expected.text, encode(record), ttl),

    /** @returns whether there was a record */
    delete: (id: string) => store.delete(key(id)),

    /**
     * Changes a record. Concurrent changes of the same record are not lost.
     *
     * @param change a pure function, called again with the latest record after a concurrent change. It returns undefined if
     *   there is nothing to change
     * @returns the record as it is stored now, or undefined if there is no record
     */
    async update(id: string, change: (record: T) => T | undefined, ttl?: number): Promise<T | undefined> {
      for (let attempt = 0; attempt < MAX_UPDATE_ATTEMPTS; attempt += 1) {
        const stored = await read(id)
        if (!stored) return undefined
        const changed = change(stored.record)
        if (!changed) return stored.record
        if (await store.replace(key(id), stored.text, encode(changed), ttl)) return changed
        await delay(Math.random() * Math.min(50, 2 * attempt))
      }
      throw new GatehouseError('ERR_CONFLICT', `"${key(id)}" has too many concurrent changes; try again`)
    },
  }
}

/** Records of one kind in the store. */
export type Collection<T extends object> = ReturnType<typeof createCollection<T>>

/** The record that `read` returns, or the corrupt record that it reports. */
async function orCorrupt<T>(id: string, key: string, read: () => Promise<T>): Promise<T | CorruptRecord> {
  try {
    return await read()
  } catch (error) {
    if (!isCorruptRecord(error)) throw error
    return new CorruptRecord(id, key, error)
  }
}
