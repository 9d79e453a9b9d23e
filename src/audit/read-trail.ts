import { PAGE_LIMIT } from '../validation/page-limit.ts'
import { CHUNK_ENTRIES, deletedUpTo, liveEntries, MAX_STEP, type Chunk } from './trail.ts'
import type { AuditEntry } from './entry.ts'
import { CURSORS, type AuditListOptions, type AuditReadOptions } from './check-options.ts'
import { LISTED, listedAs, listedChunks, type ListFilter } from './writer.ts'
import { corruptChunk, findLast, MAX_KEYS, rangeOf, readChunks, readHead, type Trail } from './trail.ts'

/** A page of entries, newest first. */
export interface AuditPage {
  readonly items: AuditEntry[]
  /**
   * Pass it as `cursor` to read older entries. Undefined on the last page. An earlier page may have fewer entries than
   * `limit`.
   */
  readonly cursor?: string | undefined
  /** True if entries of this page are missing, because their records are corrupt. */
  readonly missed?: true
}

/** An entry of `audit.read()`. */
export interface AuditRecord {
  readonly entry: AuditEntry
  /** Store this cursor after the entry is processed, and pass it as `since` to continue after this entry. */
  readonly cursor: string
  /**
   * True if entries are missing directly before this entry: they were deleted, the store lost them, or their records
   * are corrupt.
   */
  readonly missed?: true
}

/** What was done, by whom, and from where. */
export interface AuditTrail {
  /**
   * Lists entries, newest first. Pass at most one of `accountId`, `clientId`, `actor` and `documentHost`.
   *
   * @throws {GatehouseError} `ERR_INVALID_ARGUMENT`, `ERR_STORE_UNAVAILABLE`, and the errors of `ready()`
   */
  list(options?: AuditListOptions): Promise<AuditPage>
  /**
   * Reads entries in the order of the trail, oldest first, up to the present end of the trail. To get each entry
   * once, store the cursor of the last entry, and pass the cursor as `since` the next time. The order is the same in
   * all processes, and after a restart.
   *
   * If entries after `since` were deleted because of their age or number, the iteration begins at the oldest entry
   * that is left. `missed` of this entry is then true.
   *
   * @throws {GatehouseError} as `list`; `ERR_STORE_CORRUPT` after the last readable entry if corrupt entries follow it
   */
  read(options?: AuditReadOptions): AsyncIterable<AuditRecord>
}

/** Reads a page of entries, newest first. Takes at most three round trips. */
export async function listEntries(trail: Trail, options: AuditListOptions): Promise<AuditPage> {
  const { cursor, limit = PAGE_LIMIT.byDefault } = options
  const field = LISTED.find((each) => options[each] !== undefined)
  const filter = field && ([field, String(options[field])] as const)
  const before = CURSORS.read(cursor)
  const { chunks, hasMore, isCorrupt } = filter
    ? await chunksOfList(trail, filter, before, limit)
    : await latestChunks(trail, before, limit)
  const present = chunks.filter(({ text }) => text !== undefined).map(({ number }) => number)
  const oldest = deletedUpTo(trail.bounds, Math.max(trail.highest, ...present))
  const found = chunks
    .filter(({ number }) => number > oldest)
    .flatMap((chunk) =>
      liveEntries(trail.bounds, chunk)
        .map((each) => ({ ...each, number: chunk.number }))
        .toReversed(),
    )
    .filter(({ number, index }) => number !== before?.number || index < before.index)
    .filter(({ entry }) => filter === undefined || listedAs(entry, filter[0]) === filter[1])
  const page = found.slice(0, limit)
  const end = page.at(-1)
  const isLast = found.length <= limit && !hasMore
  const lowest = isLast || !end ? 0 : end.number
  const missed =
    isCorrupt || chunks.some((chunk) => chunk.isCorrupt && chunk.number >= lowest && chunk.number > oldest)
  // If no entry could be read, but there may be older chunks, the next page begins at the last chunk that was read.
  const reached = page.length === 0 && missed ? chunks.at(-1)?.number : undefined
  return {
    items: page.map(({ entry }) => entry),
    ...(end &&
      !isLast && { cursor: CURSORS.write({ number: end.number, index: end.index, id: end.entry.id }) }),
    ...(reached !== undefined &&
      hasMore && { cursor: CURSORS.write({ number: reached, index: 0, id: 'none' }) }),
    ...(missed && { missed }),
  }
}

type Place = ReturnType<typeof CURSORS.read>

interface Chunks {
  /** Newest first. */
  readonly chunks: readonly Chunk[]
  readonly hasMore: boolean
  /** Whether chunks may be missing, because the list has corrupt members. */
  readonly isCorrupt?: boolean
}

async function chunksOfList(trail: Trail, filter: ListFilter, before: Place, limit: number): Promise<Chunks> {
  // Each chunk of the list has at least one entry for the page. Only the chunk of the cursor may have none left.
  const wanted = Math.min(limit + 2, MAX_KEYS)
  const from = before?.number
  const { numbers, isCorrupt } = await listedChunks(trail, filter, { from, limit: wanted, now: Date.now() })
  return { chunks: await readChunks(trail, numbers), hasMore: numbers.length === wanted, isCorrupt }
}

async function latestChunks(trail: Trail, before: Place, limit: number): Promise<Chunks> {
  const head =
    before?.number ?? Math.max(trail.highest, (await readHead(trail)) ?? (await findLast(trail)).number)
  const top = before ? head : head + MAX_STEP
  // Usually a chunk has at least eight entries for each number that it uses up, so these chunks fill the page.
  const bottom = Math.max(1, head - 2 * Math.ceil(limit / CHUNK_ENTRIES) - MAX_STEP)
  const chunks = (await readChunks(trail, rangeOf(bottom, top))).toReversed()
  const count = chunks.reduce((sum, chunk) => sum + liveEntries(trail.bounds, chunk).length, 0)
  if (bottom === 1 || count > limit + CHUNK_ENTRIES) return { chunks, hasMore: bottom > 1 }
  // One round trip reads this range. No gap between two chunks is longer: without a chunk in it, none is older.
  const lowest = Math.max(1, bottom - Math.min(limit + MAX_STEP, MAX_KEYS))
  const older = (await readChunks(trail, rangeOf(lowest, bottom - 1))).toReversed()
  const isEnd = lowest === 1 || older.every(({ text }) => text === undefined)
  return { chunks: [...chunks, ...older], hasMore: !isEnd }
}

/** Up to the present end of the trail. Corrupt entries set `missed` of the next entry; at the end, they throw. */
export async function* readEntries(trail: Trail, options: AuditReadOptions): AsyncGenerator<AuditRecord> {
  const { since, signal } = options
  signal?.throwIfAborted()
  const last = await findLast(trail)
  const place = CURSORS.read(since)
  const oldest = deletedUpTo(trail.bounds, last.number) + 1
  let missed = false
  let corrupt: number | undefined
  let first = { number: oldest, index: 0 }
  if (place) {
    const [chunk] = await readChunks(trail, [place.number])
    const found = chunk?.entries[place.index]
    // An entry that became corrupt after it was read keeps its place.
    const isKnown = found ? found.id === place.id : chunk?.isCorrupt
    missed = place.number < oldest || !isKnown
    if (!missed) first = { number: place.number, index: place.index + 1 }
  }
  for (let from = first.number; from <= last.number; from += READ_CHUNKS) {
    signal?.throwIfAborted()
    const to = Math.min(last.number, from + READ_CHUNKS - 1)
    for (const chunk of await readChunks(trail, rangeOf(from, to))) {
      const start = chunk.number === first.number ? first.index : 0
      if (chunk.isCorrupt && (chunk.entries.length === 0 || chunk.entries.includes(undefined, start))) {
        missed = true
        corrupt = chunk.number
      }
      for (const { entry, index } of liveEntries(trail.bounds, chunk)) {
        if (index < start) continue
        signal?.throwIfAborted()
        yield {
          entry,
          cursor: CURSORS.write({ number: chunk.number, index, id: entry.id }),
          ...(missed && { missed }),
        }
        missed = false
      }
    }
  }
  if (missed && corrupt !== undefined) throw corruptChunk(trail, corrupt)
}

const READ_CHUNKS = 200
