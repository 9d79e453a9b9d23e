// Model: test/proof/models/revocation-feed.pml
export interface Cursor {
  /** Milliseconds since the epoch. Recent revocations are read from this time on. */
  readonly since: number
  /** Where the next read continues, until all indexes of this kind were read. Then `since` counts. */
  readonly place?: Place | undefined
}

export interface Place {
  /** `bucket`: revocations that expire in the same hour. `recent`: recent revocations. */
  readonly kind: 'bucket' | 'recent'
  readonly number: number
  readonly after: string
}

const KINDS = { bucket: 's', recent: 'r' } as const
const PATTERN = /^(\d{1,15})(?:\.([sr])\.(\d{1,8})\.([\w-]{1,120}))?$/

/** Writes a cursor as a text of fewer than 160 characters: letters, digits, `.`, `-` and `_`. */
export function writeCursor({ since, place }: Cursor): string {
  if (place === undefined) return String(since)
  return [since, KINDS[place.kind], place.number, Buffer.from(place.after).toString('base64url')].join('.')
}

/** Parses a cursor. It may come from a request, so it can name only indexes of revocations. */
export function readCursor(text: string): Cursor | undefined {
  const [, since, letter, number, after = ''] = PATTERN.exec(text) ?? []
  if (since === undefined) return undefined
  if (letter === undefined) return { since: Number(since) }
  const kind = letter === KINDS.bucket ? 'bucket' : 'recent'
  const place = { kind, number: Number(number), after: Buffer.from(after, 'base64url').toString() } as const
  return { since: Number(since), place }
}
