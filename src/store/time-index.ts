import { checkInput, objectOf, optional, textRule } from '../validation/rules.ts'
import { CorruptRecord } from './corrupt-record.ts'
import { createCursors } from './cursor.ts'
import { metCorruptMember, type StoreWithMemory } from './met-corrupt-records.ts'
import { readMembers, type IndexReader } from './pages-of-index.ts'
import { PAGE_LIMIT, pageLimitRule } from '../validation/page-limit.ts'

/** A member of a time index is `<milliseconds>:<id>`. */
const TIME_DIGITS = 13
const MEMBER = /^\d{13}:([^]{1,256})$/

/** Starts with the padded time, so that members are sorted by time. */
export function timedMember(listedAt: number, id: string): string {
  return `${paddedTime(listedAt)}:${id}`
}

/** Such texts are sorted by time. */
export function paddedTime(milliseconds: number): string {
  return String(milliseconds).padStart(TIME_DIGITS, '0')
}

/** Empty for a member of another form, by another program. The store then remembers the index as corrupt. */
export function readMember(store: StoreWithMemory, index: string, member: string): string {
  const [, id = ''] = MEMBER.exec(member) ?? []
  if (id === '') metCorruptMember(store, index)
  return id
}

/** Milliseconds since the epoch. */
export function timeOfMember(member: string): number {
  return Number(member.slice(0, TIME_DIGITS))
}

/** The options of a list. */
export interface ListOptions {
  /** The `cursor` that the previous page returned. @default the first page is read */
  readonly cursor?: string | undefined
  /** Maximum number of items, 1 to 500. @default 50 */
  readonly limit?: number | undefined
}

const CURSORS = createCursors(objectOf({ after: textRule }))

const LIST_FIELDS = {
  cursor: optional(CURSORS.rule('the `cursor` of the previous page')),
  limit: pageLimitRule,
}

export interface RecordList<T> {
  readonly items: T[]
  /** The corrupt records on the page. */
  readonly corrupt: readonly CorruptRecord[]
  /** Pass it as `cursor` to read the next page. Undefined on the last page. */
  readonly cursor?: string | undefined
}

/**
 * Reads members of a time index, and their records, until the page is full. `load` keeps the order of the members.
 * `removeStale` gets the members without a record; its errors are ignored, because the next reader tries again.
 */
export async function readPage<T extends object>(
  options: ListOptions,
  source: {
    readonly reader: IndexReader
    readonly index: string
    readonly load: (members: readonly string[]) => Promise<(T | CorruptRecord | undefined)[]>
    readonly removeStale: (members: readonly string[]) => Promise<unknown>
    readonly isMeant?: ((record: T) => boolean) | undefined
  },
): Promise<RecordList<T>> {
  checkInput('the list was not read', options, LIST_FIELDS)
  const { reader, index, load, removeStale, isMeant = () => true } = source
  const { cursor, limit = PAGE_LIMIT.byDefault } = options
  const items: T[] = []
  const corrupt: CorruptRecord[] = []
  let after = CURSORS.read(cursor)?.after
  while (items.length < limit) {
    const wanted = limit - items.length
    // Reads one member more than the page needs, to know whether there is a next page.
    const members = await readMembers(reader, index, { after, limit: wanted + 1 })
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
  return { items, corrupt, cursor: after === undefined ? undefined : CURSORS.write({ after }) }
}

export async function* eachPage<P extends { readonly cursor?: string | undefined }>(
  read: (cursor: string | undefined) => Promise<P>,
): AsyncGenerator<P> {
  let cursor: string | undefined
  do {
    const page = await read(cursor)
    yield page
    cursor = page.cursor
  } while (cursor !== undefined)
}
