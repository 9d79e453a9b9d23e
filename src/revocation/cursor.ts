/** Where a reading goes on. */
export interface Cursor {
  /** Milliseconds since the epoch from which on recent revocations are to be read. */
  readonly since: number
  /** In the middle of which index it stopped; `since` counts once that is through. */
  readonly place?: Place | undefined
}

/** A place in an index: behind all entries that begin with `after`. */
export interface Place {
  /** Of all that are in force, or of the recent ones. */
  readonly kind: 'bucket' | 'recent'
  /** Which of them. */
  readonly number: number
  readonly after: string
}

const KINDS = { bucket: 's', recent: 'r' } as const
const PATTERN = /^(\d{1,15})(?:\.([sr])\.(\d{1,8})\.([\w-]{1,120}))?$/

/** A cursor as text: letters, digits, `.`, `-` and `_`, below 160 characters. It holds nothing that is secret. */
export function writeCursor({ since, place }: Cursor): string {
  if (place === undefined) return String(since)
  return [since, KINDS[place.kind], place.number, Buffer.from(place.after).toString('base64url')].join('.')
}

/**
 * Reads a cursor that comes from outside: of all that the store holds it can name indexes of revocations, and nothing
 * else. Undefined for anything that is none.
 */
export function readCursor(text: string): Cursor | undefined {
  const [, since, letter, number, after = ''] = PATTERN.exec(text) ?? []
  if (since === undefined) return undefined
  if (letter === undefined) return { since: Number(since) }
  const kind = letter === KINDS.bucket ? 'bucket' : 'recent'
  const place = { kind, number: Number(number), after: Buffer.from(after, 'base64url').toString() } as const
  return { since: Number(since), place }
}
