import type { Problem } from '../errors.ts'
import { isObject } from '../validation/predicates.ts'
import { type Fields, findProblems } from '../validation/rules.ts'
import type { Collection } from '../store/collection.ts'
import { isCorruptRecord, type CorruptRecord } from '../store/corrupt-record.ts'
import type { Values } from './file-format.ts'

/** One kind of what moves from one store to another. */
export interface Section {
  /** What its lines are called in the file. */
  readonly is: string
  /**
   * Reads all that there is, in the store from which it moves: the fields of lines, some at a time.
   *
   * @param onSkipped told of each record that cannot be read
   */
  exportLines(onSkipped: OnSkipped): AsyncIterable<readonly object[]>
  /** Checks a line, without any I/O. */
  parseLine(fields: Values): ParsedLine
}

/** Told of a record that is not in the file. */
export type OnSkipped = (record: CorruptRecord) => void

/** What came of the check of a line: all that is wrong with it, or what puts it into the store, once or again. */
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
 * The record of a line as one of today's, whatever version it was written in. Its fields are still to be checked.
 *
 * @param id of the record, as the line has it
 * @returns undefined if it is none that can be read
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

/** All that the rules have against a record, each where it stands in the line. */
export function problemsOfRecord(record: Values, rules: Fields): Problem[] {
  return findProblems(record, rules).map(({ path, message }) => ({ path: `record.${path}`, message }))
}

/** What is wrong with a line of which `recordOf` makes no record. */
export function noRecord(record: unknown, rules: Fields): ParsedLine {
  const problems = isObject(record) ? problemsOfRecord(record, rules) : []
  return { problems: problems.length > 0 ? problems : [NO_RECORD] }
}

const NO_RECORD: Problem = {
  path: 'record',
  message: 'must be a record of this version of koa-gatehouse, or of an older one',
}
