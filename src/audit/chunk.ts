import { isObject } from '../validation/predicates.ts'
import { isEntry, type AuditEntry } from './entry.ts'

/** The number of entries after which a chunk is full. A batch may exceed this number. */
export const CHUNK_ENTRIES = 16

/** The maximum number of entries that one write adds. */
export const BATCH_ENTRIES = 100

/** The number of characters after which a chunk is full. */
const CHUNK_LENGTH = 64_000

/** Milliseconds after its first entry after which a chunk is closed, so that old entries expire in time. */
const OPEN_MS = 86_400_000

/**
 * The maximum difference between the numbers of two consecutive chunks. A chunk takes one number for each
 * sixteen entries, so that the numbers show how many entries a trail has at most.
 */
export const MAX_STEP = Math.ceil((CHUNK_ENTRIES - 1 + BATCH_ENTRIES) / CHUNK_ENTRIES)

/** A chunk as it is in the store. */
export interface Chunk {
  readonly number: number
  /** The exact stored text; undefined if the chunk expired, or if its text is corrupt. */
  readonly text: string | undefined
  readonly entries: readonly AuditEntry[]
  /** Whether the chunk never changes again. The contents alone decide this, so all processes agree. */
  readonly isFull: boolean
}

/** The stored text of a chunk. */
export function chunkText(entries: readonly AuditEntry[], isClosed = false): string {
  return JSON.stringify({ v: 1, ...(isClosed && { closed: true }), entries })
}

/** Parses a chunk. A chunk that expired or is corrupt has no entries and is full. */
export function readChunk(number: number, text: string | undefined): Chunk {
  const gone = { number, text: undefined, entries: [], isFull: true }
  if (text === undefined) return gone
  try {
    const value: unknown = JSON.parse(text)
    if (!isObject(value) || value['v'] !== 1 || !Array.isArray(value['entries'])) return gone
    const entries = value['entries'].filter(isEntry)
    const isFull = value['closed'] === true || entries.length >= CHUNK_ENTRIES || text.length >= CHUNK_LENGTH
    return { number, text, entries, isFull }
  } catch {
    return gone
  }
}

/** Whether a chunk must be closed before more entries are added. */
export function isOverdue({ entries }: Chunk, now: number): boolean {
  const first = entries[0]
  return first !== undefined && now - first.at > OPEN_MS
}

/** The number of the chunk after a full chunk. */
export function nextNumber({ number, text, entries }: Chunk): number {
  return number + (text === undefined ? MAX_STEP : Math.max(1, Math.ceil(entries.length / CHUNK_ENTRIES)))
}
