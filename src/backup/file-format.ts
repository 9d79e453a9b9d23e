import { GatehouseError, type Problem } from '../errors.ts'
import { isObject } from '../validation/predicates.ts'
import {
  booleanRule,
  type Fields,
  findProblems,
  objectOf,
  oneOf,
  optional,
  textRule,
  wholeNumber,
} from '../validation/rules.ts'
import type { Line } from './read-lines.ts'
import { timeRule } from './record-rules.ts'

/** What a line of the file says: which kind of line it `is`, and the rest. */
export type Values = Readonly<Record<string, unknown>>

/** The version in which files are written; each one up to it is read. */
const VERSION = 1

/** What the first line says that it is. */
const REGISTRY = 'koa-gatehouse registry'

/** Seconds that anything may live by which keys and revocations are kept: ten years. */
const LONGEST = 3660 * 86_400

/** The first line. */
export interface Header {
  /** Epoch seconds at which it was begun. */
  readonly exportedAt: number
  /** Of the gatehouse that wrote it. */
  readonly issuer: string
  /** Who keeps API keys and applications: the store, so that they follow, or the host. */
  readonly clients: 'store' | 'host'
  /** Whether the next line has the signing keys; the host keeps them otherwise. */
  readonly signingKeys: boolean
  /** How long tokens live at most that were issued until then, in seconds. */
  readonly longestLifetimes: { readonly accessToken: number; readonly idToken?: number | undefined }
}

/** A line of the file as text, with its end. */
export function writeLine(is: string, fields: object): string {
  return `${JSON.stringify({ is, ...fields })}\n`
}

/** The first line as text. */
export function writeHeader(header: Header): string {
  return writeLine(REGISTRY, { version: VERSION, ...header })
}

/**
 * The last line: how many there are of each kind between the first and it, so that one that is cut off shows.
 *
 * @param skipped keys of records that should be there, and could not be read
 */
export function writeTrailer(lines: Readonly<Record<string, number>>, skipped: readonly string[]): string {
  return writeLine('end', { lines, ...(skipped.length > 0 && { skipped }) })
}

/** Keys of the records that the last line says are not in the file. */
export function skippedBy(trailer: Values): readonly string[] {
  const { skipped } = trailer
  return Array.isArray(skipped) ? skipped.filter((key) => typeof key === 'string') : []
}

/**
 * What a line says.
 *
 * @throws {GatehouseError} `ERR_INVALID_ARGUMENT` if it says nothing
 */
export function readLine({ number, text }: Line): Values & { readonly is: string } {
  const fields = parse(text)
  if (!isObject(fields) || typeof fields['is'] !== 'string')
    throw unfit(number, 'is no line of an exported registry')
  return { ...fields, is: fields['is'] }
}

/** @throws {GatehouseError} `ERR_INVALID_ARGUMENT` if it is another kind of file, or of a newer version */
export function readHeader(line: Line): Header {
  const fields = parse(line.text)
  if (!isObject(fields) || fields['is'] !== REGISTRY) {
    throw refused('this is no file that exportRegistry() has written')
  }
  const { version } = fields
  if (typeof version === 'number' && version > VERSION) {
    throw refused(
      `it was written by a newer version of koa-gatehouse (format ${version}, and this one reads up to ${VERSION}): update koa-gatehouse here first`,
    )
  }
  requireFit(line.number, findProblems(fields, HEADER))
  // The rules have just said so.
  return fields as unknown as Header
}

const HEADER: Fields = {
  version: wholeNumber(1, VERSION),
  exportedAt: timeRule,
  issuer: textRule,
  clients: oneOf('store', 'host'),
  signingKeys: booleanRule,
  longestLifetimes: objectOf({
    accessToken: wholeNumber(1, LONGEST),
    idToken: optional(wholeNumber(1, LONGEST)),
  }),
}

/**
 * Compares the last line with what was read.
 *
 * @throws {GatehouseError} `ERR_INVALID_ARGUMENT` if it tells of other lines
 */
export function checkTrailer(number: number, trailer: Values, read: Readonly<Record<string, number>>): void {
  const told = isObject(trailer['lines']) ? trailer['lines'] : {}
  const kinds = [...new Set([...Object.keys(told), ...Object.keys(read)])]
  if (kinds.every((kind) => (told[kind] ?? 0) === (read[kind] ?? 0))) return
  throw unfit(
    number,
    'tells of other lines than there are: some were lost or added. What was read is imported; import a whole file to have the rest',
  )
}

/** Rejects a line where something is wrong with it. */
export function requireFit(number: number, problems: readonly Problem[]): void {
  if (problems.length === 0) return
  const lines = problems.map(({ path, message }) => `  - ${path}: ${message}`)
  throw unfit(number, `cannot be imported:\n${lines.join('\n')}`, problems)
}

/** The error of a line. */
export function unfit(number: number, what: string, problems: readonly Problem[] = []): GatehouseError {
  return new GatehouseError('ERR_INVALID_ARGUMENT', `line ${number} of the registry ${what}`, { problems })
}

/** The error of a file of which nothing is imported. */
export function refused(why: string): GatehouseError {
  return new GatehouseError(
    'ERR_INVALID_ARGUMENT',
    `the registry was not imported: ${why}. Nothing was changed`,
  )
}

/** The error of a file that has no last line. */
export function endsInTheMiddle(): GatehouseError {
  return new GatehouseError(
    'ERR_INVALID_ARGUMENT',
    'the registry ends in the middle; what was read is imported. Import a whole file to have the rest: what is here already stays as it is',
  )
}

/** Objects and lists inside each other that a line may have: twice as many as any line has. */
const DEEPEST = 16

function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return isDeeperThan(DEEPEST, value) ? undefined : value
  } catch {
    // The parser's own message would quote the line.
    return undefined
  }
}

/** Whether a value is nested deeper than that. Writing such a value as JSON again may overflow the stack. */
function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((each) => isDeeperThan(levels - 1, each))
}
