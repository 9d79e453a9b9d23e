import { createHash, randomBytes } from 'node:crypto'
import type { Store } from '../store/contract.ts'
import { readCursor, writeCursor, type Cursor } from './cursor.ts'
import { readRevocation, writeRevocation, type Revocation } from './revocation.ts'
import type { RevocationPage, RevocationSource } from './revocation-source.ts'
import { createExpiryBuckets, endOfBucket, lastBucketOver, bucketFor } from './expiry-buckets.ts'

/** The revocations in the store. */
export interface RevocationLog extends RevocationSource {
  /**
   * Adds revocations, and tells all who listen. Settles when they are stored.
   *
   * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`; whether they are stored is not known then, and adding them
   *   again does no harm
   */
  add(revocations: readonly Revocation[]): Promise<void>
  /** All that were in force when it began, some at a time; however long whoever reads them takes. */
  inForce(): AsyncIterable<readonly Revocation[]>
}

const CHANNEL = 'revocations'

const MINUTE = 60_000

/** Milliseconds that one index of recent revocations covers. */
const RECENT_SPAN = 10 * MINUTE
/** Seconds for which such an index is kept after the last entry. */
const RECENT_TTL = 2400
/** Milliseconds after which a cursor is too old for what is kept of recent ones. */
const TOO_OLD = 15 * MINUTE
/**
 * Milliseconds that are read again each time: by so much an entry may be older than when it can be read. One for
 * the clocks of two processes, one for a write to arrive: no call to a store is waited for longer.
 */
const OVERLAP = 2 * MINUTE
/** Milliseconds by which the clock of a writer may be ahead. */
const AHEAD = MINUTE
/** Milliseconds for which a cursor stays the same while nothing is new, so that the answer does too. */
const QUIET = 5 * MINUTE
/** Entries that are read at once, at most what `range` allows. */
const PAGE = 1000
/** Revocations that are written at once. */
const BATCH = 100

/** Characters by which an entry is told apart on a shelf, and among the recent ones. */
const DIGEST = 16
const STAMP = 22

/** What entries begin with, on a shelf and among the recent ones. */
const IN_BUCKET = /^([\w-]{16}):/
const RECENT = /^(\d{13}:[\w-]{8}):/

/**
 * Each revocation stands in two indexes: on a shelf with all that end in the same hour, which the store drops as a
 * whole when that hour is over and which is read at the start; and among the recent ones in the order of their
 * making, which those who follow read again and again. On its shelf the same revocation stands once, however often
 * it is made.
 *
 * @param options.now milliseconds since the epoch. @default the clock of this process
 */
export function createRevocationLog(
  store: Store,
  { now = () => Date.now() }: { readonly now?: (() => number) | undefined } = {},
): RevocationLog {
  const buckets = createExpiryBuckets(store)

  async function add(revocation: Revocation): Promise<void> {
    const made = now()
    const text = writeRevocation(revocation)
    const bucket = bucketFor(revocation.until)
    const ttl = Math.max(3600, endOfBucket(bucket) - secondsOf(made))
    const stamp = `${pad(made)}:${randomBytes(6).toString('base64url')}`
    await Promise.all([
      buckets.put(bucket, `${digest(text)}:${text}`, ttl),
      store.add(recentIndex(recentNumber(made)), `${stamp}:${text}`, RECENT_TTL),
    ])
    // Only what is stored is told, so that whoever begins to listen and then reads misses nothing. Those who do not
    // hear of it read it within seconds.
    await store.publish(CHANNEL, text).catch(() => {})
  }

  /** Fills a page with what is in force, shelf by shelf. */
  async function readBuckets({ since, place }: Cursor, time: number): Promise<RevocationPage> {
    const revocations: Revocation[] = []
    let bucket = place?.number ?? (await buckets.next(lastBucketOver(secondsOf(time))))
    let after = place && beyond(place.after)
    for (let room = PAGE; bucket !== undefined;) {
      const number = bucket
      const { entries, head } = await fill(
        (from) => buckets.range(number, from),
        { after, limit: room },
        IN_BUCKET,
      )
      revocations.push(...read(entries, DIGEST))
      if (head !== undefined) {
        const last = { kind: 'bucket', number: bucket, after: head } as const
        return { revocations, cursor: writeCursor({ since, place: last }), more: true }
      }
      room -= entries.length
      bucket = await buckets.next(bucket)
      after = undefined
    }
    // What was added while the shelves were read is among the recent ones.
    return { revocations, cursor: writeCursor({ since }), more: true }
  }

  /** Fills a page with what was made since, in the order of its making. */
  async function readRecent({ since, place }: Cursor, time: number): Promise<RevocationPage> {
    const revocations: Revocation[] = []
    // From where to go on the next time, once all pages have been read.
    const next = place ? since : time - OVERLAP
    let after: string | undefined = place ? beyond(place.after) : pad(since)
    let room = PAGE
    const last = recentNumber(time + AHEAD)
    for (let number = place?.number ?? recentNumber(since); number <= last; number += 1) {
      const index = recentIndex(number)
      const { entries, head } = await fill((from) => store.range(index, from), { after, limit: room }, RECENT)
      revocations.push(...read(entries, STAMP))
      if (head !== undefined) {
        const reached = { kind: 'recent', number, after: head } as const
        return { revocations, cursor: writeCursor({ since: next, place: reached }), more: true }
      }
      room -= entries.length
      // All that is in the next one is later.
      after = undefined
    }
    const isQuiet = place === undefined && room === PAGE && time - since < QUIET
    return { revocations, cursor: writeCursor({ since: isQuiet ? since : next }), more: false }
  }

  /** Whether what was made at a cursor's time can still be read; not where the clock was put back, either. */
  function isUsable({ since, place }: Cursor, time: number): boolean {
    if (since > time || time - since > TOO_OLD) return false
    const oldest = recentNumber(time - TOO_OLD - OVERLAP)
    return place?.kind !== 'recent' || place.number >= oldest
  }

  return {
    async add(revocations) {
      for (let at = 0; at < revocations.length; at += BATCH) {
        await Promise.all(revocations.slice(at, at + BATCH).map(add))
      }
    },

    async read(text) {
      const time = now()
      const cursor = text === undefined ? undefined : readCursor(text)
      if (cursor === undefined || !isUsable(cursor, time)) {
        await buckets.tidy(secondsOf(time))
        return readBuckets({ since: time - OVERLAP }, time)
      }
      return cursor.place?.kind === 'bucket' ? readBuckets(cursor, time) : readRecent(cursor, time)
    },

    async *inForce() {
      const over = lastBucketOver(secondsOf(now()))
      for (let bucket = await buckets.next(over); bucket !== undefined; bucket = await buckets.next(bucket)) {
        let entries: string[] = []
        do {
          entries = await buckets.range(bucket, { after: entries.at(-1), limit: PAGE })
          yield read(entries, DIGEST)
        } while (entries.length === PAGE)
      }
    },

    listen(listener, missed) {
      const hear = (message: string) => {
        const revocation = readRevocation(message)
        if (revocation) listener(revocation)
      }
      return store.subscribe(CHANNEL, hear, missed)
    },
  }
}

/** What is no revocation, such as one of a newer version, is left out rather than guessed at. */
function read(entries: readonly string[], head: number): Revocation[] {
  return entries
    .map((entry) => readRevocation(entry.slice(head + 1)))
    .filter((revocation) => revocation !== undefined)
}

/**
 * Reads a page of an index. Where there may be more, `head` is what its last entry of ours begins with, and the place
 * to go on at: what others have put there may begin with what comes before everything, or be too long for a cursor. A
 * page without anything of ours is no place to stop at.
 *
 * @param form what entries begin with, as its first group
 */
async function fill(
  range: (from: { after: string | undefined; limit: number }) => Promise<string[]>,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
  form: RegExp,
): Promise<{ readonly entries: readonly string[]; readonly head?: string | undefined }> {
  for (let from = after; ;) {
    const entries = await range({ after: from, limit })
    if (entries.length < limit) return { entries }
    const heads = entries.flatMap((entry) => form.exec(entry)?.[1] ?? [])
    if (heads.length > 0) return { entries, head: heads.at(-1) }
    from = entries.at(-1)
  }
}

/** A bound behind everything that begins with `head`. */
function beyond(head: string): string {
  return `${head}\u{10FFFF}`
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, DIGEST)
}

function recentNumber(milliseconds: number): number {
  return Math.floor(milliseconds / RECENT_SPAN)
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
