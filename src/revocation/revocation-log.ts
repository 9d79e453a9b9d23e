import { createHash, randomBytes } from 'node:crypto'
import { FAST_CLOCK_MS, LATE_ENTRY_MS } from '../async/clock-tolerances.ts'
import { addEntry, listBuckets, rangeOfBucket, type BucketedIndex } from '../store/bucketed-index.ts'
import type { Store } from '../store/contract.ts'
import { readCursor, writeCursor, type Cursor } from './cursor.ts'
import { readRevocation, writeRevocation, type Revocation } from './revocation.ts'
import type { RevocationPage, RevocationSource } from './revocation-source.ts'

/** The revocations in the store. */
export interface RevocationLog extends RevocationSource {
  /**
   * Adds revocations, and notifies all subscribers. Settles when they are stored.
   *
   * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`; some may be stored then. Adding them again is harmless
   */
  add(revocations: readonly Revocation[]): Promise<void>
  /** All revocations that were in force when the iteration began, in pages. The reader may take any time. */
  inForce(): AsyncIterable<readonly Revocation[]>
}

/** The index of the buckets, which also holds the marks of the log (`createLogMarks`). */
export const BUCKET_NUMBERS = 'revocations:buckets'

const CHANNEL = 'revocations'

const MINUTE_MS = 60_000
const HOUR_SECONDS = 3600

/** Milliseconds that one index of recent revocations covers. */
const RECENT_SPAN_MS = 10 * MINUTE_MS
/** Seconds for which such an index is kept after the last entry. */
const RECENT_TTL_SECONDS = 2400
/** Milliseconds after which a cursor is older than the recent revocations. */
const MAX_CURSOR_AGE_MS = 15 * MINUTE_MS
/** Milliseconds for which a cursor stays the same without new revocations, so that the response stays the same too. */
const STABLE_CURSOR_MS = 5 * MINUTE_MS
/** Entries of one read, the most that `range` allows. */
const PAGE_SIZE = 1000
/** Revocations that are written at the same time. */
const BATCH_SIZE = 100

/** The beginning of an entry, as the first group of its pattern. */
const BUCKET_ENTRY = /^([\w-]{16}):/
const DIGEST_LENGTH = 16
const RECENT_ENTRY = /^(\d{13}:[\w-]{8}):/
const STAMP_LENGTH = 22

interface Log {
  readonly store: Store
  readonly now: () => number
  readonly buckets: BucketedIndex
}

/**
 * Each revocation stands in two indexes. A bucket holds all revocations that end in the same hour, each once, however
 * often it is made; processes read the buckets at their start. The recent revocations stand in the order in which they
 * were made; processes poll them.
 *
 * @param options.now milliseconds since the epoch. @default the clock of this process
 */
export function createRevocationLog(
  store: Store,
  { now = () => Date.now() }: { readonly now?: (() => number) | undefined } = {},
): RevocationLog {
  const buckets = { store, name: BUCKET_NUMBERS, spanSeconds: HOUR_SECONDS, slackSeconds: HOUR_SECONDS }
  const log: Log = { store, now, buckets }

  return {
    async add(revocations) {
      for (let at = 0; at < revocations.length; at += BATCH_SIZE) {
        await Promise.all(revocations.slice(at, at + BATCH_SIZE).map((each) => addRevocation(log, each)))
      }
    },

    async read(text) {
      const time = now()
      const cursor = text === undefined ? undefined : readCursor(text)
      if (cursor === undefined || !isUsable(cursor, time)) {
        return readBuckets(log, { since: time - LATE_ENTRY_MS }, time)
      }
      return cursor.place?.kind === 'bucket' ? readBuckets(log, cursor, time) : readRecent(log, cursor, time)
    },

    inForce: () => readInForce(log),

    listen(listener, missed) {
      const receive = (message: string) => {
        const revocation = readRevocation(message)
        if (revocation) listener(revocation)
      }
      return store.subscribe(CHANNEL, receive, missed)
    },
  }
}

async function addRevocation({ store, now, buckets }: Log, revocation: Revocation): Promise<void> {
  const made = now()
  const text = writeRevocation(revocation)
  const stamp = `${pad(made)}:${randomBytes(6).toString('base64url')}`
  await Promise.all([
    addEntry(buckets, `${digest(text)}:${text}`, revocation.until, secondsOf(made)),
    store.add(recentIndex(recentNumber(made)), `${stamp}:${text}`, RECENT_TTL_SECONDS),
  ])
  // Published after it is stored, so that a process which subscribes and then reads misses nothing. A process without
  // the message reads it within seconds.
  await store.publish(CHANNEL, text).catch(() => {})
}

/** Fills a page with revocations in force, bucket by bucket. */
async function readBuckets(
  { buckets }: Log,
  { since, place }: Cursor,
  time: number,
): Promise<RevocationPage> {
  const revocations: Revocation[] = []
  const live = await listBuckets(buckets, secondsOf(time))
  const numbers = place ? [place.number, ...live.filter((number) => number > place.number)] : live
  let after = place && beyond(place.after)
  let room = PAGE_SIZE
  for (const number of numbers) {
    const { entries, head } = await fillPage(
      (from) => rangeOfBucket(buckets, number, from),
      { after, limit: room },
      BUCKET_ENTRY,
    )
    revocations.push(...parseEntries(entries, DIGEST_LENGTH))
    if (head !== undefined) {
      const reached = { kind: 'bucket', number, after: head } as const
      return { revocations, cursor: writeCursor({ since, place: reached }), more: true }
    }
    room -= entries.length
    after = undefined
  }
  // Revocations that were added during this read are among the recent ones.
  return { revocations, cursor: writeCursor({ since }), more: true }
}

/** Fills a page with the revocations made since the cursor, in the order in which they were made. */
async function readRecent({ store }: Log, { since, place }: Cursor, time: number): Promise<RevocationPage> {
  const revocations: Revocation[] = []
  // Where the next poll begins, after all pages have been read.
  const next = place ? since : time - LATE_ENTRY_MS
  let after: string | undefined = place ? beyond(place.after) : pad(since)
  let room = PAGE_SIZE
  const last = recentNumber(time + FAST_CLOCK_MS)
  for (let number = place?.number ?? recentNumber(since); number <= last; number += 1) {
    const index = recentIndex(number)
    const { entries, head } = await fillPage(
      (from) => store.range(index, from),
      { after, limit: room },
      RECENT_ENTRY,
    )
    revocations.push(...parseEntries(entries, STAMP_LENGTH))
    if (head !== undefined) {
      const reached = { kind: 'recent', number, after: head } as const
      return { revocations, cursor: writeCursor({ since: next, place: reached }), more: true }
    }
    room -= entries.length
    after = undefined
  }
  const isQuiet = place === undefined && room === PAGE_SIZE && time - since < STABLE_CURSOR_MS
  return { revocations, cursor: writeCursor({ since: isQuiet ? since : next }), more: false }
}

async function* readInForce({ now, buckets }: Log): AsyncIterable<readonly Revocation[]> {
  for (const number of await listBuckets(buckets, secondsOf(now()))) {
    let entries: string[] = []
    do {
      entries = await rangeOfBucket(buckets, number, { after: entries.at(-1), limit: PAGE_SIZE })
      yield parseEntries(entries, DIGEST_LENGTH)
    } while (entries.length === PAGE_SIZE)
  }
}

/** Whether the revocations since a cursor can still be read. They cannot if the clock was set back. */
function isUsable({ since, place }: Cursor, time: number): boolean {
  if (since > time || time - since > MAX_CURSOR_AGE_MS) return false
  const oldest = recentNumber(time - MAX_CURSOR_AGE_MS - LATE_ENTRY_MS)
  return place?.kind !== 'recent' || place.number >= oldest
}

/** Leaves out corrupt entries and entries of newer versions. */
function parseEntries(entries: readonly string[], headLength: number): Revocation[] {
  return entries
    .map((entry) => readRevocation(entry.slice(headLength + 1)))
    .filter((revocation) => revocation !== undefined)
}

/**
 * Reads a page of an index. If there may be more, `head` is the beginning of the last entry of this log, where the next
 * page begins. Foreign entries may sort before everything, or be too long for a cursor. So a page of foreign entries
 * alone is skipped.
 *
 * @param pattern matches the entries of this log; its first group is their beginning
 */
async function fillPage(
  range: (from: { after: string | undefined; limit: number }) => Promise<string[]>,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
  pattern: RegExp,
): Promise<{ readonly entries: readonly string[]; readonly head?: string | undefined }> {
  for (let from = after; ;) {
    const entries = await range({ after: from, limit })
    if (entries.length < limit) return { entries }
    const heads = entries.flatMap((entry) => pattern.exec(entry)?.[1] ?? [])
    if (heads.length > 0) return { entries, head: heads.at(-1) }
    from = entries.at(-1)
  }
}

/** A bound behind all entries that begin with `head`. */
function beyond(head: string): string {
  return `${head}\u{10FFFF}`
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, DIGEST_LENGTH)
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

function pad(milliseconds: number): string {
  return String(milliseconds).padStart(13, '0')
}
