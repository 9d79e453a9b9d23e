// Model: test/proof/models/revocation-feed.pml
import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { FAST_CLOCK_MS, LATE_ENTRY_MS } from '../async/clock-tolerances.ts'
import { inBatches } from '../async/in-batches.ts'
import { unavailablePause } from '../async/unavailable-pause.ts'
import {
  addEntry,
  bucketName,
  bucketOf,
  listBuckets,
  removeEntry,
  type BucketedIndex,
} from '../store/bucketed-index.ts'
import { isCorruptRecord } from '../store/corrupt-record.ts'
import { metCorruptMember, type StoreWithMemory } from '../store/met-corrupt-records.ts'
import { pagesOf } from '../store/pages-of-index.ts'
import { paddedTime } from '../store/time-index.ts'
import { readRevocation, writeRevocation, type Revocation } from './revocation.ts'
import type { RevocationPage } from './revocation-source.ts'

/** The index of the numbers of all buckets. It also contains the marks of the log (`createLogMarks`). */
export const BUCKET_NUMBERS = 'revocations:buckets'

const CHANNEL = 'revocations'

const MINUTE_MS = 60_000
const HOUR_SECONDS = 3600

/** Milliseconds that one index of recent revocations covers. */
const RECENT_SPAN_MS = 10 * MINUTE_MS
/** Seconds for which an index of recent revocations is kept after its last entry. */
const RECENT_TTL_SECONDS = 2400
/** After this time, recent revocations made after the time of a cursor may have been deleted. */
const MAX_CURSOR_AGE_MS = 15 * MINUTE_MS
/** Without new revocations, the cursor and the response stay the same so long: HTTP clients get 304. */
const STABLE_CURSOR_MS = 5 * MINUTE_MS
const PAGE_SIZE = 1000
const REPUBLISH_MS = 5000
const BATCH_SIZE = 100

/** The text of the revocation follows this beginning. A cursor names the first group of the pattern. */
const ENTRY = { bucket: /^([\w-]{16}):/, recent: /^(\d{13}:[\w-]{8}):/ }

interface Cursor {
  /** Milliseconds since the epoch. Recent revocations are read from this time on. */
  readonly since: number
  /** Where the next read continues, until all indexes of this kind were read. Then `since` counts. */
  readonly place?: Place | undefined
}

interface Place {
  /** `bucket`: revocations that expire in the same hour. `recent`: recent revocations. */
  readonly kind: 'bucket' | 'recent'
  readonly number: number
  readonly after: string
}

interface Log {
  readonly store: StoreWithMemory
  readonly now: () => number
  readonly buckets: BucketedIndex
}

/**
 * Stores each revocation in two indexes. The first consists of buckets: a bucket contains all revocations that expire
 * in the same hour, each once. Each process reads all buckets when it starts. The second consists of parts with the
 * recent revocations of ten minutes, in the order in which they were made. Processes poll the newest parts.
 */
export function createRevocationLog(
  store: StoreWithMemory,
  { now = () => Date.now() }: { readonly now?: (() => number) | undefined } = {},
) {
  const buckets = { store, name: BUCKET_NUMBERS, spanSeconds: HOUR_SECONDS, slackSeconds: HOUR_SECONDS }
  const log: Log = { store, now, buckets }

  return {
    /** Resolves when the revocations are stored. After an error some may be stored: add all of them again. */
    add: (revocations: readonly Revocation[]) =>
      inBatches(revocations, BATCH_SIZE, (each) => addRevocation(log, each)),

    /** Removes revocations that another stored revocation covers. */
    remove: (revocations: readonly Revocation[]) =>
      inBatches(revocations, BATCH_SIZE, (each) =>
        removeEntry(buckets, [bucketOf(buckets, each.until)], bucketEntry(writeRevocation(each))),
      ),

    async read(text: string | undefined): Promise<RevocationPage> {
      const time = now()
      const cursor = text === undefined ? undefined : readCursor(text)
      if (cursor === undefined || !isUsable(cursor, time)) {
        return readBuckets(log, { since: time - LATE_ENTRY_MS }, time)
      }
      return cursor.place?.kind === 'bucket' ? readBuckets(log, cursor, time) : readRecent(log, cursor, time)
    },

    /** All revocations in force when the iteration began. A page may take the caller any time. */
    inForce: () => readInForce(log),

    listen(listener: (revocation: Revocation) => void, missed: () => void) {
      const receive = (message: string) => {
        const revocation = readRevocation(message)
        if (revocation) listener(revocation)
      }
      return store.subscribe(CHANNEL, receive, missed)
    },
  }
}

export type RevocationLog = ReturnType<typeof createRevocationLog>

async function addRevocation({ store, now, buckets }: Log, revocation: Revocation): Promise<void> {
  const made = now()
  const text = writeRevocation(revocation)
  const stamp = `${paddedTime(made)}:${randomBytes(6).toString('base64url')}`
  await Promise.all([
    addEntry(buckets, bucketEntry(text), revocation.until, secondsOf(made)),
    store.add(recentIndex(recentNumber(made)), `${stamp}:${text}`, RECENT_TTL_SECONDS),
  ])
  // Published after it is stored, so a process that subscribes and then reads misses nothing.
  await store.publish(CHANNEL, text).catch(() => void publishAgain(store, text))
}

/** After `REPUBLISH_MS`, processes with the default `pollIntervalSeconds` have read the revocation. */
async function publishAgain(store: StoreWithMemory, text: string): Promise<void> {
  const until = performance.now() + REPUBLISH_MS
  for (let isPublished = false; !isPublished && performance.now() < until;) {
    // The timer does not keep the process alive.
    await delay(unavailablePause(), undefined, { ref: false })
    isPublished = await store.publish(CHANNEL, text).then(
      () => true,
      () => false,
    )
  }
}

async function readBuckets(log: Log, cursor: Cursor, time: number): Promise<RevocationPage> {
  const { since, place } = cursor
  const live = await listBuckets(log.buckets, secondsOf(time))
  const numbers = place ? [place.number, ...live.filter((number) => number > place.number)] : live
  const page = await readIndexes(log, 'bucket', numbers, place && beyond(place.after))
  // The recent revocations of later pages contain those that were added during this read.
  return { revocations: page.revocations, cursor: writeCursor({ since, place: page.reached }), more: true }
}

async function readRecent(log: Log, cursor: Cursor, time: number): Promise<RevocationPage> {
  const { since, place } = cursor
  const first = place?.number ?? recentNumber(since)
  const count = Math.max(0, recentNumber(time + FAST_CLOCK_MS) - first + 1)
  const numbers = Array.from({ length: count }, (_, at) => first + at)
  const after = place ? beyond(place.after) : paddedTime(since)
  const { revocations, isEmpty, reached } = await readIndexes(log, 'recent', numbers, after)
  const isQuiet = place === undefined && isEmpty && time - since < STABLE_CURSOR_MS
  // After the last page of this poll, the next poll reads from this time.
  const next = place || isQuiet ? since : time - LATE_ENTRY_MS
  return { revocations, cursor: writeCursor({ since: next, place: reached }), more: reached !== undefined }
}

/** `reached` is set if more revocations may follow: after the last entry that matches the pattern. */
async function readIndexes(
  { store, buckets }: Log,
  kind: Place['kind'],
  numbers: readonly number[],
  start: string | undefined,
): Promise<{ revocations: Revocation[]; isEmpty: boolean; reached?: Place }> {
  const revocations: Revocation[] = []
  let after = start
  let room = PAGE_SIZE
  for (const number of numbers) {
    const index = kind === 'bucket' ? bucketName(buckets, number) : recentIndex(number)
    try {
      for await (const entries of pagesOf(store, index, { after, limit: room })) {
        const isFull = entries.length === room
        const head = entries.flatMap((entry) => ENTRY[kind].exec(entry)?.[1] ?? []).at(-1)
        // A cursor cannot name an entry that does not match, because such an entry may be too long.
        if (isFull && head === undefined) continue
        revocations.push(...parseEntries(store, index, entries, ENTRY[kind]))
        if (isFull && head !== undefined)
          return { revocations, isEmpty: false, reached: { kind, number, after: head } }
        room -= entries.length
      }
    } catch (error) {
      // A bucket also has each of these revocations, so a process starts without a recent index of a wrong type.
      if (kind === 'bucket' || !isCorruptRecord(error)) throw error
      store.metCorrupt?.add(index, error)
    }
    after = undefined
  }
  return { revocations, isEmpty: room === PAGE_SIZE }
}

async function* readInForce({ store, now, buckets }: Log): AsyncIterable<readonly Revocation[]> {
  for (const number of await listBuckets(buckets, secondsOf(now()))) {
    const index = bucketName(buckets, number)
    for await (const entries of pagesOf(store, index)) {
      yield parseEntries(store, index, entries, ENTRY.bucket)
    }
  }
}

function isUsable({ since, place }: Cursor, time: number): boolean {
  if (since > time || time - since > MAX_CURSOR_AGE_MS) return false
  const oldest = recentNumber(time - MAX_CURSOR_AGE_MS - LATE_ENTRY_MS)
  return place?.kind !== 'recent' || place.number >= oldest
}

/** The store remembers the index of an unreadable entry as corrupt, because a revocation may be missing. */
function parseEntries(store: StoreWithMemory, index: string, entries: readonly string[], pattern: RegExp) {
  const revocations = entries.flatMap((entry) => readRevocation(entry.replace(pattern, '')) ?? [])
  if (revocations.length < entries.length) metCorruptMember(store, index)
  return revocations
}

function beyond(head: string): string {
  return `${head}\u{10FFFF}`
}

/** The entry of a revocation in its bucket. Equal revocations have equal entries. */
function bucketEntry(text: string): string {
  return `${createHash('sha256').update(text).digest('base64url').slice(0, 16)}:${text}`
}

function recentNumber(milliseconds: number): number {
  return Math.floor(milliseconds / RECENT_SPAN_MS)
}

function recentIndex(number: number): string {
  return `revocations:recent:${number}`
}

function secondsOf(milliseconds: number): number {
  return Math.floor(milliseconds / 1000)
}

const KINDS = { bucket: 's', recent: 'r' } as const
const CURSOR = /^(\d{1,15})(?:\.([sr])\.(\d{1,8})\.([\w-]{1,120}))?$/

/** Writes a cursor as a text of fewer than 160 characters: letters, digits, `.`, `-` and `_`. */
function writeCursor({ since, place }: Cursor): string {
  if (place === undefined) return String(since)
  return [since, KINDS[place.kind], place.number, Buffer.from(place.after).toString('base64url')].join('.')
}

/** Parses a cursor. It may come from a request, so it can name only indexes of revocations. */
function readCursor(text: string): Cursor | undefined {
  const [, since, letter, number, after = ''] = CURSOR.exec(text) ?? []
  if (since === undefined) return undefined
  if (letter === undefined) return { since: Number(since) }
  const kind = letter === KINDS.bucket ? 'bucket' : 'recent'
  const place = { kind, number: Number(number), after: Buffer.from(after, 'base64url').toString() } as const
  return { since: Number(since), place }
}
