import type { Problem } from '../errors.ts'
import { isObject } from '../validation/predicates.ts'
import { type Fields, findProblems } from '../validation/rules.ts'
import type { Collection } from '../store/collection.ts'
import { isCorruptRecord, type CorruptRecord } from '../store/corrupt-record.ts'
import type { Values } from './file-format.ts'

/** One kind of records in an exported registry. */
export interface Section {
  /** The name of its lines. */
  readonly is: string
  /**
   * Reads all records of the kind from the store, page by page, as the fields of lines.
   *
   * @param onSkipped called with each corrupt record
   */
  exportLines(onSkipped: OnSkipped): AsyncIterable<readonly object[]>
  /** Validates a line, without any I/O. */
  parseLine(fields: Values): ParsedLine
}

/** Called with a record that is not exported because it is corrupt. */
export type OnSkipped = (record: CorruptRecord) => void

/** All problems of a line, or the function that imports it and may be called again. */
export type ParsedLine = { readonly problems: readonly Problem[] } | ((counts: Counts) => Promise<void>)

/** What an import has done so far. */
export interface Counts {
  apiKeys: number
  applications: number
  deletedClients: number
  hostEpochs: number
  signingKeys: number
  revocations: number
  unchanged: number
  readonly conflicts: Set<string>
}

/**
 * The record of a line in today's version; older versions are upgraded. Its fields must still be validated.
 *
 * @param id the id of the record, as in the line
 * @returns undefined if the line holds no record of this kind
 */
export function recordOf<T extends object>(
  collection: Collection<T>,
  id: unknown,
  record: unknown,
): T | undefined {
  if (!isObject(record)) return undefined
  try {
    return collection.fromText(typeof id === 'string' ? id : '', JSON.stringify(record))
  } catch (error) {
    if (isCorruptRecord(error)) return undefined
    throw error
  }
}

/** A record as it stands in a line. */
export function exportedRecord<T extends object>(collection: Collection<T>, record: T): unknown {
  return JSON.parse(collection.toText(record))
}

/** All problems of a record, with their paths in the line. */
export function problemsOfRecord(record: Values, rules: Fields): Problem[] {
  return findProblems(record, rules).map(({ path, message }) => ({ path: `record.${path}`, message }))
}

/** The problems of a line for which `recordOf` returned undefined. */
export function noRecord(record: unknown, rules: Fields): ParsedLine {
  const problems = isObject(record) ? problemsOfRecord(record, rules) : []
  return { problems: problems.length > 0 ? problems : [NO_RECORD] }
}

const NO_RECORD: Problem = {
  path: 'record',
  message: 'must be a record of this version of koa-gatehouse, or of an older one',
}
