import { checkInput } from '../validation/check-input.ts'
import { must, optional, wholeNumber } from '../validation/rules.ts'
import { CorruptRecord } from './corrupt-record.ts'

/** The digits of a time in milliseconds. A member of a time index is `<milliseconds>:<id>`. */
const TIME_DIGITS = 13
const MEMBER = /^\d{13}:([^]{1,256})$/

/** The member for an id. It starts with the padded time, so that the order of bytes is the order of time. */
export function timedMember(listedAt: number, id: string): string {
  return `${String(listedAt).padStart(TIME_DIGITS, '0')}:${id}`
}

/** The id of a member; the empty text if another program has written the member. */
export function idOfMember(member: string): string {
  return MEMBER.exec(member)?.[1] ?? ''
}

/** The time of a member, in milliseconds since the epoch. */
export function timeOfMember(member: string): number {
  return Number(member.slice(0, TIME_DIGITS))
}

/** The options of a list. */
export interface ListOptions {
  /** `cursor` of the previous page. @default the first page */
  readonly cursor?: string | undefined
  /** Maximum number of items, 1 to 500. @default 50 */
  readonly limit?: number | undefined
}

const LIST_FIELDS = {
  cursor: optional(
    must(
      'the `cursor` of the previous page',
      (value) => typeof value === 'string' && /^\d{13}:./.test(value),
    ),
  ),
  limit: optional(wholeNumber(1, 500)),
}

/**
 * Checks the options of a list, and fills in the default.
 *
 * @throws {GatehouseError} `ERR_INVALID_ARGUMENT`, also for an option that does not exist
 */
function checkedPage(options: ListOptions): ListOptions & { readonly limit: number } {
  checkInput('the list was not read', options, LIST_FIELDS)
  const { cursor, limit = 50 } = options
  return { cursor, limit }
}

/** A page of records. */
export interface RecordList<T> {
  readonly items: T[]
  /** The corrupt records on the page. */
  readonly corrupt: readonly CorruptRecord[]
  /** The `cursor` of the next page; undefined at the end. */
  readonly cursor?: string | undefined
}

/**
 * Reads members until the page is full.
 *
 * @param source.load the records of members in their order, undefined where absent
 * @param source.removeStale called with the members without a record. Its errors are ignored: the next reader tries again
 * @param source.isMeant selects the records of the page. @default all
 * @throws {GatehouseError} `ERR_INVALID_ARGUMENT` for options that are not valid
 */
export async function readPage<T extends object>(
  options: ListOptions,
  source: {
    readonly range: (from: { after: string | undefined; limit: number }) => Promise<string[]>
    readonly load: (members: readonly string[]) => Promise<(T | CorruptRecord | undefined)[]>
    readonly removeStale: (members: readonly string[]) => Promise<unknown>
    readonly isMeant?: ((record: T) => boolean) | undefined
  },
): Promise<RecordList<T>> {
  const { range, load, removeStale, isMeant = () => true } = source
  const { cursor, limit } = checkedPage(options)
  const items: T[] = []
  const corrupt: CorruptRecord[] = []
  let after = cursor
  while (items.length < limit) {
    const wanted = limit - items.length
    // One more than wanted, to know whether there is a next page.
    const members = await range({ after, limit: wanted + 1 })
    const page = members.slice(0, wanted)
    const records = await load(page)
    for (const record of records) {
      if (record instanceof CorruptRecord) corrupt.push(record)
      else if (record && isMeant(record)) items.push(record)
    }
    await removeStale(page.filter((_, at) => records[at] === undefined)).catch(() => {})
    if (members.length <= wanted) return { items, corrupt }
    after = page.at(-1)
  }
  return { items, corrupt, cursor: after }
}
