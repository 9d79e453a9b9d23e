import { GatehouseError, type Problem } from '../../errors.ts'
import { isObject } from '../../validation/predicates.ts'
import { parseJson } from '../../validation/parse-json.ts'
import {
  booleanRule,
  type Fields,
  findProblems,
  objectOf,
  optional,
  textRule,
  wholeNumber,
} from '../../validation/rules.ts'
import type { Line } from './read-lines.ts'
import { timeRule } from '../../clients/file-rule-builders.ts'

export type Values = Readonly<Record<string, unknown>>

const VERSION = 1

const COMPLETE_IT = 'Its signing keys were not imported. Import the complete file'

const REGISTRY = 'koa-gatehouse registry'

const MAX_LIFETIME_SECONDS = 3660 * 86_400

export interface Header {
  /** When the export began, in epoch seconds. */
  readonly exportedAt: number
  readonly issuer: string
  /** Whether the next line contains the signing keys. If not, the host manages them. */
  readonly signingKeys: boolean
  /** The longest lifetimes of the tokens issued so far, in seconds. */
  readonly longestLifetimes: { readonly accessToken: number; readonly idToken?: number | undefined }
}

export function writeLine(is: string, fields: object): string {
  return `${JSON.stringify({ is, ...fields })}\n`
}

export function writeHeader(header: Header): string {
  return writeLine(REGISTRY, { version: VERSION, ...header })
}

/** Contains the number of lines of each kind, so that an incomplete file is noticed. */
export function writeTrailer(lines: Readonly<Record<string, number>>, skipped: readonly string[]): string {
  return writeLine('end', { lines, ...(skipped.length > 0 && { skipped }) })
}

export function readLine({ number, text }: Line): Values & { readonly is: string } {
  const fields = parse(text)
  if (!isObject(fields) || typeof fields['is'] !== 'string')
    throw lineRejected(number, 'is not a line of an exported registry')
  return { ...fields, is: fields['is'] }
}

export function readHeader(line: Line): Header {
  const fields = parse(line.text)
  if (!isObject(fields) || fields['is'] !== REGISTRY) {
    throw fileRejected('the file was not written by exportRegistry()')
  }
  const { version } = fields
  if (typeof version === 'number' && version > VERSION) {
    throw fileRejected(
      `it was written by a newer version of koa-gatehouse (format ${version}; this version reads formats up to ${VERSION}): update koa-gatehouse here first`,
    )
  }
  checkLine(line.number, fields, HEADER)
  // The rules have validated each field.
  return fields as unknown as Header
}

const HEADER: Fields = {
  version: wholeNumber(1, VERSION),
  exportedAt: timeRule,
  issuer: textRule,
  signingKeys: booleanRule,
  longestLifetimes: objectOf({
    accessToken: wholeNumber(1, MAX_LIFETIME_SECONDS),
    idToken: optional(wholeNumber(1, MAX_LIFETIME_SECONDS)),
  }),
}

/** The form of exported files, and their line counts. @returns the store keys of the records that the export skipped */
export function readTrailer(
  number: number,
  { lines, skipped }: Values,
  read: Readonly<Record<string, number>>,
): readonly string[] {
  const written = isObject(lines) ? lines : {}
  const kinds = [...new Set([...Object.keys(written), ...Object.keys(read)])]
  if (kinds.some((kind) => (written[kind] ?? 0) !== (read[kind] ?? 0))) {
    const what = 'states line counts that do not match the file: lines were lost or added'
    throw lineRejected(number, `${what}. ${COMPLETE_IT}`)
  }
  return Array.isArray(skipped) ? skipped.filter((key) => typeof key === 'string') : []
}

export function checkLine(number: number, values: Values, rules: Fields): void {
  const problems = findProblems(values, rules)
  if (problems.length > 0) throw problemsOfLine(number, problems)
}

export function problemsOfLine(number: number, problems: readonly Problem[]): GatehouseError {
  const lines = problems.map(({ path, message }) => `  - ${path}: ${message}`)
  return lineRejected(number, `cannot be imported:\n${lines.join('\n')}`, problems)
}

export function lineRejected(number: number, what: string, problems: readonly Problem[] = []) {
  return new GatehouseError('ERR_INVALID_ARGUMENT', `line ${number} of the registry ${what}`, { problems })
}

export function fileRejected(why: string): GatehouseError {
  const message = `the registry was not imported: ${why}. Nothing was changed`
  return new GatehouseError('ERR_INVALID_ARGUMENT', message)
}

export function fileCutOff(): GatehouseError {
  return new GatehouseError('ERR_INVALID_ARGUMENT', `the registry ends in the middle. ${COMPLETE_IT}`)
}

/** The lines of an exported registry have at most half this depth. */
const MAX_DEPTH = 16

function parse(text: string): unknown {
  const value = parseJson(text)
  return isDeeperThan(MAX_DEPTH, value) ? undefined : value
}

/** Writing a very deep value as JSON may overflow the stack. */
function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((each) => isDeeperThan(levels - 1, each))
}
