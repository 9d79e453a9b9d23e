import { parseJson } from '../validation/parse-json.ts'
import { isObject } from '../validation/predicates.ts'
import { isEntry, type AuditEntry } from './entry.ts'

/** A batch may exceed this number. */
export const CHUNK_ENTRIES = 16

export const BATCH_ENTRIES = 100

const CHUNK_CHARACTERS = 64_000

/** A chunk is closed this many milliseconds after its first entry, so that old entries expire in time. */
const OPEN_MS = 86_400_000

/** A chunk uses up one number for sixteen entries, so numbers show how many entries a trail has at most. */
export const MAX_STEP = Math.ceil((CHUNK_ENTRIES - 1 + BATCH_ENTRIES) / CHUNK_ENTRIES)

/** A chunk: consecutive entries of a trail, stored as one value. */
export interface Chunk {
  readonly number: number
  /** The exact stored text: undefined if the chunk expired, and empty if the store cannot read the value as a text. */
  readonly text: string | undefined
  /** The entries in their order, with undefined for each corrupt entry. Empty if the whole chunk is corrupt. */
  readonly entries: readonly (AuditEntry | undefined)[]
  /** By the contents alone, as in all processes. A corrupt chunk never grows: an operator can examine or restore it. */
  readonly isFull: boolean
  readonly isCorrupt: boolean
}

export function chunkText(entries: Chunk['entries'], isClosed = false): string {
  return JSON.stringify({ v: 1, ...(isClosed && { closed: true }), entries })
}

export function readChunk(number: number, text: string | undefined): Chunk {
  if (text === undefined) return { number, text, entries: [], isFull: true, isCorrupt: false }
  const value = parseJson(text)
  if (!isObject(value) || value['v'] !== 1 || !Array.isArray(value['entries'])) {
    return { number, text, entries: [], isFull: true, isCorrupt: true }
  }
  const entries = value['entries'].map((entry) => (isEntry(entry) ? entry : undefined))
  const isCorrupt = entries.includes(undefined)
  const isLong = entries.length >= CHUNK_ENTRIES || text.length >= CHUNK_CHARACTERS
  return { number, text, entries, isFull: isCorrupt || isLong || value['closed'] === true, isCorrupt }
}

export function isOverdue({ entries }: Chunk, now: number): boolean {
  const first = entries[0]
  return first !== undefined && now - first.at > OPEN_MS
}

export function nextNumber({ number, text, entries }: Chunk): number {
  return number + (text === undefined ? MAX_STEP : Math.max(1, Math.ceil(entries.length / CHUNK_ENTRIES)))
}
