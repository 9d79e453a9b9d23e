import type { WithOutbox } from '../../audit/recording.ts'
import type { Problem } from '../../errors.ts'
import { isObject } from '../../validation/predicates.ts'
import { type Fields, findProblems, objectOf } from '../../validation/rules.ts'
import type { Collection } from '../../store/collection.ts'
import { isCorruptRecord, type CorruptRecord } from '../../store/corrupt-record.ts'
import { checkLine, problemsOfLine, type Values } from './file-format.ts'
import type { Counts } from './import-record.ts'

/** What the records of one kind say about their export. `T` has the fields of a line. */
interface Exported<T extends object> {
  readonly is: string
  readonly rules: Fields
  pages(): AsyncIterable<{ readonly items: readonly T[]; readonly corrupt?: readonly CorruptRecord[] }>
  /** As `parseLine`, for a line whose fields match the rules. */
  read(line: T, number: number): ImportLine | Promise<ImportLine>
}

export type Section = ReturnType<typeof sectionOf>

export function sectionOf<T extends object>({ is, rules, pages, read }: Exported<T>) {
  const fieldsOf = (values: object) => {
    const found = values as Values
    return Object.fromEntries(Object.keys(rules).map((name) => [name, found[name]]))
  }
  return {
    is,
    async *exportLines(onSkipped: OnSkipped): AsyncGenerator<readonly object[]> {
      for await (const { items, corrupt = [] } of pages()) {
        corrupt.forEach(onSkipped)
        yield items.map(fieldsOf)
      }
    },
    /** Changes nothing. The returned function imports the line, and may be called again. */
    parseLine(values: Values, number: number): ImportLine | Promise<ImportLine> {
      const line = fieldsOf(values)
      checkLine(number, line, rules)
      return read(line as T, number)
    },
  }
}

/** Imports a line. May be called again. */
export type ImportLine = (counts: Counts) => Promise<void>

export type OnSkipped = (record: CorruptRecord) => void

/** Reads a line of the file as a record, or rejects it. */
export function readRecord<T extends object>(
  number: number,
  collection: Collection<T>,
  { id, record, rules }: { id: unknown; record: unknown; rules: Fields },
): T {
  if (!isObject(record)) throw problemsOfLine(number, [NO_RECORD])
  let found: T | undefined
  try {
    found = collection.fromText(typeof id === 'string' ? id : '', JSON.stringify(record))
  } catch (error) {
    if (!isCorruptRecord(error)) throw error
  }
  const problems = findProblems({ record: found ?? record }, { record: objectOf(rules) })
  if (found && problems.length === 0) return pick(found, Object.keys(rules))
  throw problemsOfLine(number, problems.length > 0 ? problems : [NO_RECORD])
}

const NO_RECORD: Problem = {
  path: 'record',
  code: 'format',
  message: 'must be a record of this version of koa-gatehouse, or of an older version',
}

export function pick<T extends object>(value: T, names: readonly string[]): T {
  const entries = Object.entries(value).filter(([name, field]) => names.includes(name) && field !== undefined)
  return Object.fromEntries(entries) as T
}

export function exportedRecord<T extends object>(collection: Collection<T>, record: T): unknown {
  // The entries that wait for the audit trail belong to this store, so they are not exported.
  const { audit: _, ...exported } = record as T & WithOutbox
  return JSON.parse(collection.toText(exported as T))
}
