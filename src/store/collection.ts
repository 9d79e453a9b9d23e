import { setTimeout as delay } from 'node:timers/promises'
import { GatehouseError } from '../errors.ts'
import type { Store } from './contract.ts'
import { isObject } from '../validation/predicates.ts'
import { objectOf, type Fields, type Rule } from '../validation/rules.ts'
import { isCorruptRecord, CorruptRecord } from './corrupt-record.ts'

/** A record as it was read, with the exact text that `replace` compares. */
export interface Stored<T> {
  readonly record: T
  readonly text: string
}

/** Records of one kind in the store, as JSON with a schema version. */
export interface Collection<T extends object> {
  /** The record, or undefined. */
  get(id: string): Promise<T | undefined>
  /** The record with its stored text, for a later `replace`. */
  read(id: string): Promise<Stored<T> | undefined>
  /** The records in the order of `ids`, undefined where absent. */
  getMany(ids: readonly string[]): Promise<(T | undefined)[]>
  /** The same for a list, of which the others are wanted where one cannot be read. */
  getEach(ids: readonly string[]): Promise<(T | CorruptRecord | undefined)[]>
  /** Stores a new record; false if the id is taken. */
  create(id: string, record: T, ttl?: number): Promise<boolean>
  /** Stores the record, whatever was there. */
  set(id: string, record: T, ttl?: number): Promise<void>
  /** Stores the record only if what is there is still `expected`. */
  replace(id: string, expected: Stored<T>, record: T, ttl?: number): Promise<boolean>
  /**
   * Changes a record so that concurrent changes lose nothing: `change` is called again with what somebody
   * else wrote in the meantime. It must be pure; it answers undefined where nothing is to change.
   *
   * @returns the record as it stands now, or undefined if it is absent
   */
  update(id: string, change: (record: T) => T | undefined, ttl?: number): Promise<T | undefined>
  /** Whether a record was there and is gone now. */
  delete(id: string): Promise<boolean>
  /** The key in the store, for those who need the store itself. */
  key(id: string): string
  /** A record as it is stored, for those who carry it to another store. */
  toText(record: T): string
  /**
   * The record that such a text holds, of an older version too.
   *
   * @throws {GatehouseError} `ERR_STORE_CORRUPT`
   */
  fromText(id: string, text: string): T
}

/** Attempts before an update gives up; with jitter this is far beyond any number of real editors. */
const MAX_ATTEMPTS = 200

/**
 * Typed records over the store. Each is stored as `{"v":version,…}`; one with a newer version, or that is
 * no record at all, is reported as ERR_STORE_CORRUPT rather than guessed at.
 *
 * @param options.name first part of each key: `name:id`
 * @param options.version schema version of the records written now
 * @param options.upgrade turns a record of an older version into one of today's
 * @param options.fields what those of today must have: what others have put under our keys is not worked with. Or a
 *   function that answers as much for the record of an id
 */
export function createCollection<T extends object>(
  store: Store,
  {
    name,
    version,
    upgrade,
    fields = {},
  }: {
    name: string
    version: number
    upgrade?: ((record: Record<string, unknown>, from: number) => object) | undefined
    fields?: Fields | ((id: string) => Rule) | undefined
  },
): Collection<T> {
  const key = (id: string) => `${name}:${id}`
  const encode = (record: T) => JSON.stringify({ v: version, ...record })

  const ruleOf = typeof fields === 'function' ? fields : always(objectOf(fields))

  function decode(id: string, text: string): T {
    const { v, ...stored } = parse(key(id), text)
    const isOlder = Number.isInteger(v) && Number(v) > 0 && Number(v) < version
    if (v !== version && !(upgrade && isOlder)) throw otherVersion(key(id), v, version)
    const record = isOlder ? upgraded(key(id), stored, Number(v)) : stored
    if (ruleOf(id)(record) !== undefined) throw noRecord(key(id))
    return record as T
  }

  function upgraded(name: string, stored: Record<string, unknown>, from: number): object {
    try {
      return upgrade?.(stored, from) ?? stored
    } catch {
      throw noRecord(name)
    }
  }

  async function read(id: string): Promise<Stored<T> | undefined> {
    const text = await store.get(key(id))
    return text === undefined ? undefined : { record: decode(id, text), text }
  }

  /** The texts under some keys, where one of them may hold what is no text at all. */
  async function textsOf(ids: readonly string[]): Promise<(string | CorruptRecord | undefined)[]> {
    try {
      return await store.getMany(ids.map(key))
    } catch (error) {
      if (!isCorruptRecord(error)) throw error
      return Promise.all(ids.map((id) => store.get(key(id)).catch((cause: unknown) => unreadable(id, cause))))
    }
  }

  function unreadable(id: string, error: unknown): CorruptRecord {
    if (!isCorruptRecord(error)) throw error
    return new CorruptRecord(id, key(id), error)
  }

  function decodeEach(id: string, text: string): T | CorruptRecord {
    try {
      return decode(id, text)
    } catch (error) {
      return unreadable(id, error)
    }
  }

  return {
    key,
    toText: encode,
    fromText: decode,
    read,
    async get(id) {
      return (await read(id))?.record
    },
    async getMany(ids) {
      const texts = await store.getMany(ids.map(key))
      return texts.map((text, index) => (text === undefined ? undefined : decode(ids[index] ?? '', text)))
    },
    async getEach(ids) {
      const texts = await textsOf(ids)
      return texts.map((text, index) =>
        typeof text === 'string' ? decodeEach(ids[index] ?? '', text) : text,
      )
    },
    create: (id, record, ttl) => store.create(key(id), encode(record), ttl),
    set: (id, record, ttl) => store.set(key(id), encode(record), ttl),
    replace: (id, expected, record, ttl) => store.replace(key(id), expected.text, encode(record), ttl),
    delete: (id) => store.delete(key(id)),
    async update(id, change, ttl) {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
        const stored = await read(id)
        if (!stored) return undefined
        const changed = change(stored.record)
        if (!changed) return stored.record
        if (await store.replace(key(id), stored.text, encode(changed), ttl)) return changed
        await delay(Math.random() * Math.min(50, 2 * attempt))
      }
      throw new GatehouseError(
        'ERR_CONFLICT',
        `"${key(id)}" was changed by others again and again; try once more`,
      )
    },
  }
}

function parse(key: string, text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return value
  } catch {
    // Reported below: the parser's own message would quote the record.
  }
  throw noRecord(key)
}

function noRecord(key: string): GatehouseError {
  return new GatehouseError(
    'ERR_STORE_CORRUPT',
    `what the store holds under "${key}" is no record of koa-gatehouse`,
  )
}

/** Of the version nothing but a number is told: whatever stands there instead may be anything. */
function otherVersion(key: string, found: unknown, version: number): GatehouseError {
  const isNewer = Number.isInteger(found) && Number(found) > version
  const why = isNewer
    ? `has schema version ${String(found)}, and this version of koa-gatehouse reads up to ${version}: a newer one has written it, so start that one or a later one again`
    : `has no schema version that koa-gatehouse has ever written, and this version of it reads up to ${version}: look for another program that writes to the same keys`
  return new GatehouseError('ERR_STORE_CORRUPT', `the record "${key}" ${why}`)
}

function always<T>(value: T): () => T {
  return () => value
}
