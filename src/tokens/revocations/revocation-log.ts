import { randomBytes } from 'node:crypto'
import type { Store } from '../../store/contract.ts'
import { readRevocation, writeRevocation, type Revocation } from './revocation.ts'
import type { RevocationPage, RevocationSource } from './revocation-source.ts'

/** The revocations in the store. */
export interface RevocationLog extends RevocationSource {
  /**
   * Adds revocations, and tells all who listen. Settles when they are stored.
   *
   * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`; whether they are stored is not known then, and adding them
   *   again does no harm
   */
  add(revocations: readonly Revocation[]): Promise<void>
}

const CHANNEL = 'revocations'
/** The names of all shelves that are not empty. */
const SHELVES = 'revocations:shelves'

const MINUTE = 60_000
const HOUR = 3600

/** Milliseconds that one index of recent revocations covers. */
const RECENT_SPAN = 10 * MINUTE
/** Seconds for which such an index is kept after the last entry. */
const RECENT_TTL = 1800
/** Milliseconds after which a cursor is too old for what is kept of recent ones. */
const TOO_OLD = 15 * MINUTE
/**
 * Milliseconds that are read again each time: by so much an entry may be older than when it can be read, since the
 * clocks of two processes differ by up to a minute, and writing takes time.
 */
const OVERLAP = 2 * MINUTE
/** Milliseconds by which the clock of a writer may be ahead. */
const AHEAD = MINUTE
const PAGE = 1000

/**
 * Each revocation stands in two indexes: on a shelf with all that end in the same hour, which the store drops as a
 * whole when that hour is over and which is read at the start; and among the recent ones in the order of their
 * making, which those who follow read again and again.
 *
 * @param log.now milliseconds since the epoch
 */
export function createRevocationLog(store: Store): RevocationLog {
  const known = new Set<string>()

  async function shelve(entry: string, { until }: Revocation, now: number): Promise<void> {
    // The hour after its end, and one more for clocks.
    const hour = Math.ceil(until / HOUR) + 1
    const ttl = Math.max(HOUR, hour * HOUR - Math.floor(now / 1000))
    const shelf = `revocations:until:${String(hour).padStart(8, '0')}`
    // Its name first, so that whatever is on it can be found.
    if (!known.has(shelf)) await store.add(SHELVES, shelf, ttl)
    known.add(shelf)
    await store.add(shelf, entry, ttl)
  }

  async function add(revocation: Revocation): Promise<void> {
    const now = Date.now()
    const text = writeRevocation(revocation)
    const entry = `${pad(now)}:${randomBytes(6).toString('base64url')}:${text}`
    await Promise.all([shelve(entry, revocation, now), store.add(recentAt(now), entry, RECENT_TTL)])
    // Those who do not hear of it read it within seconds.
    await store.publish(CHANNEL, text).catch(() => {})
  }

  /** One page of all that are in force. */
  async function readShelf({ since, shelf, after }: ShelfPosition): Promise<RevocationPage> {
    const current = shelf ?? (await nextShelf(''))
    if (current === undefined) return { revocations: [], cursor: write({ since }), more: false }
    const entries = await store.range(current, { after, limit: PAGE })
    const last = entries.at(-1)
    if (entries.length === PAGE && last !== undefined) {
      return { revocations: read(entries), cursor: write({ since, shelf: current, after: last }), more: true }
    }
    const next = await nextShelf(current)
    const cursor = next === undefined ? write({ since }) : write({ since, shelf: next })
    // What was added while the shelves were read is among the recent ones.
    return { revocations: read(entries), cursor, more: true }
  }

  async function nextShelf(after: string): Promise<string | undefined> {
    for (let position = after; ;) {
      const [shelf] = await store.range(SHELVES, { after: position === '' ? undefined : position, limit: 1 })
      if (shelf === undefined) return undefined
      if (!isOver(shelf)) return shelf
      // The store has dropped it already.
      await store.remove(SHELVES, shelf)
      position = shelf
    }
  }

  async function readRecent(since: number, now: number): Promise<RevocationPage> {
    const revocations: Revocation[] = []
    for (let at = since; recentNumber(at) <= recentNumber(now + AHEAD); at += RECENT_SPAN) {
      const index = recentAt(at)
      let after: string | undefined = pad(since)
      while (after !== undefined) {
        const entries: string[] = await store.range(index, { after, limit: PAGE })
        revocations.push(...read(entries))
        after = entries.length === PAGE ? entries.at(-1) : undefined
      }
    }
    return { revocations, cursor: write({ since: now - OVERLAP }), more: false }
  }

  return {
    async add(revocations) {
      await Promise.all(revocations.map(add))
    },

    read(cursor) {
      const now = Date.now()
      const position = cursor === undefined ? undefined : parse(cursor)
      // Also begins anew where the clock was put back.
      if (position === undefined || now - position.since > TOO_OLD || position.since > now) {
        return readShelf({ since: now - OVERLAP })
      }
      return position.shelf === undefined ? readRecent(position.since, now) : readShelf(position)
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

interface ShelfPosition {
  /** Milliseconds since the epoch from which on the recent ones are to be read afterwards. */
  readonly since: number
  readonly shelf?: string | undefined
  readonly after?: string | undefined
}

function write({ since, shelf, after }: ShelfPosition): string {
  return Buffer.from(JSON.stringify([since, shelf, after])).toString('base64url')
}

function parse(cursor: string): ShelfPosition | undefined {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    if (!Array.isArray(parts)) return undefined
    const [since, shelf, after] = parts as unknown[]
    if (!Number.isSafeInteger(since) || !isShelf(shelf) || !isEntry(after)) return undefined
    return { since: since as number, shelf: shelf ?? undefined, after: after ?? undefined }
  } catch {
    return undefined
  }
}

/** A cursor comes from outside, and must not name any other index. */
function isShelf(value: unknown): value is string | null | undefined {
  return (
    value === undefined ||
    value === null ||
    (typeof value === 'string' && /^revocations:until:\d{8}$/.test(value))
  )
}

function isEntry(value: unknown): value is string | null | undefined {
  return value === undefined || value === null || (typeof value === 'string' && value !== '')
}

function isOver(shelf: string): boolean {
  return Number(shelf.slice(-8)) * HOUR * 1000 < Date.now()
}

function recentNumber(milliseconds: number): number {
  return Math.floor(milliseconds / RECENT_SPAN)
}

function recentAt(milliseconds: number): string {
  return `revocations:recent:${recentNumber(milliseconds)}`
}

function pad(milliseconds: number): string {
  return String(milliseconds).padStart(13, '0')
}

/** What is no revocation, such as one of a newer version, is left out rather than guessed at. */
function read(entries: readonly string[]): Revocation[] {
  // After the time and the random part, which have no colon.
  const texts = entries.map((entry) => entry.slice(entry.indexOf(':', 14) + 1))
  return texts.map(readRevocation).filter((revocation) => revocation !== undefined)
}
