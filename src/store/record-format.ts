import { GatehouseError } from '../errors.ts'
import { isObject } from '../validation/predicates.ts'
import { objectOf, type Fields, type Rule } from '../validation/rules.ts'

/** What records of one kind look like. */
export interface RecordSchema {
  /** The schema version of the records that are written now. */
  readonly version: number
  /**
   * The rules for the fields of a record, or a function that takes the id of a record and returns its rule. A
   * record that breaks its rules is corrupt.
   */
  readonly fields?: Fields | ((id: string) => Rule) | undefined
}

/** Writes a record as JSON with its schema version: `{"v":version,…}`. */
export function encodeRecord(record: object, { version }: RecordSchema): string {
  return JSON.stringify({ v: version, ...record })
}

/**
 * Parses a record.
 *
 * @param key the key in the store, for errors
 * @throws {GatehouseError} `ERR_STORE_CORRUPT` if the text cannot be parsed, breaks the rules, or has another version
 */
export function decodeRecord(
  id: string,
  key: string,
  text: string,
  { version, fields = {} }: RecordSchema,
): object {
  const { v, ...record } = parseObject(key, text)
  if (v !== version) throw unknownVersion(key, v, version)
  const rule = typeof fields === 'function' ? fields(id) : objectOf(fields)
  if (rule(record) !== undefined) throw notARecord(key)
  return record
}

function parseObject(key: string, text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return value
  } catch {
    // The error is created below, because the parser's own message would quote the record.
  }
  throw notARecord(key)
}

function notARecord(key: string): GatehouseError {
  return new GatehouseError(
    'ERR_STORE_CORRUPT',
    `the value under "${key}" in the store is not a record of koa-gatehouse`,
  )
}

/**
 * The error of an unknown version. The message quotes the version only if the version is a number, because
 * any other value may be secret data.
 */
function unknownVersion(key: string, found: unknown, version: number): GatehouseError {
  const isNewer = Number.isInteger(found) && Number(found) > version
  const why = isNewer
    ? `has schema version ${String(found)}, but this version of koa-gatehouse reads up to ${version}: start the newer version of koa-gatehouse that wrote it`
    : `has an unknown schema version, and this version of koa-gatehouse reads up to ${version}: another program may write to the same keys`
  return new GatehouseError('ERR_STORE_CORRUPT', `the record "${key}" ${why}`)
}
