import type { GatehouseError } from '../errors.ts'
import { corruptValue, isCorruptRecord } from '../store/corrupt-record.ts'
import type { StoreWithMemory } from '../store/met-corrupt-records.ts'
import { type AuditEntry, isEntry } from './entry.ts'
import { type TrailBounds, ttlOf } from './retention.ts'
import { parseJson } from '../validation/parse-json.ts'
import { isObject } from '../validation/predicates.ts'

/** Milliseconds after which the last known chunk is read again before it is used. */
const KNOWN_MS = 3_600_000

/**
 * Seconds for which an empty chunk replaces a deleted one. Without it, a process that still takes an older chunk for
 * the last one could create the deleted chunk again, and its entries would never be read.
 */
export const DELETED_SECONDS = (2 * KNOWN_MS) / 1000

const REMEMBERED = 256

export const MAX_KEYS = 500

export function createTrail(store: StoreWithMemory, name: string, bounds: TrailBounds) {
  return {
    store,
    name,
    bounds,
    last: undefined as { readonly chunk: Chunk; readonly at: number } | undefined,
    /** The highest number of a chunk that this process knows; 0 if it knows none. */
    highest: 0,
    /** The lists that have the chunk with the number `listed.of` already. */
    listed: { of: 0, indexes: new Set<string>() },
    /** The ids of the entries in the final chunks that this process read or wrote last, by the number of the chunk. */
    ids: new Map<number, ReadonlySet<string>>(),
  }
}

/**
 * A list of entries in the store, in the same order for all processes. It consists of chunks. Only the last chunk
 * grows, each time by one compare-and-swap. The next one is created only after the last one shows that it is full.
 */
export type Trail = ReturnType<typeof createTrail>

export function chunkKey({ name }: Trail, number: number): string {
  return `audit:${name}:${number}`
}

/** The key of the number at which the search for the last chunk begins. */
export function headKey({ name }: Trail): string {
  return `audit:${name}:head`
}

export async function readChunks(trail: Trail, numbers: readonly number[]): Promise<Chunk[]> {
  const chunks: Chunk[] = []
  for (let at = 0; at < numbers.length; at += MAX_KEYS) {
    const page = numbers.slice(at, at + MAX_KEYS)
    const texts = await readTexts(trail, page)
    chunks.push(...page.map((number, index) => readChunk(number, texts[index])))
  }
  for (const { number, isCorrupt } of chunks) {
    if (isCorrupt) trail.store.metCorrupt?.add(chunkKey(trail, number), corruptChunk(trail, number))
  }
  return chunks
}

/** A value that the store cannot read as a text becomes the empty text, which counts as a corrupt chunk. */
async function readTexts(trail: Trail, numbers: readonly number[]) {
  const { store } = trail
  const keys = numbers.map((number) => chunkKey(trail, number))
  try {
    return await store.getMany(keys)
  } catch (error) {
    if (!isCorruptRecord(error)) throw error
    return Promise.all(keys.map((key) => store.get(key).catch(emptyIfCorrupt)))
  }
}

function emptyIfCorrupt(error: unknown): string {
  if (!isCorruptRecord(error)) throw error
  return ''
}

export function corruptChunk(trail: Trail, number: number): GatehouseError {
  return corruptValue(chunkKey(trail, number), 'has entries of the audit trail that cannot be read')
}

export async function knownLast(trail: Trail): Promise<Chunk> {
  const { last } = trail
  if (last && performance.now() - last.at < KNOWN_MS) return last.chunk
  return findLast(trail)
}

/**
 * How entries are stored, in chunks. Finds the last chunk: follows the chunks from the stored number (`headKey`), or
 * from the last one that is known. A trail without chunks has the chunk 0, which counts as full.
 */
export async function findLast(trail: Trail): Promise<Chunk> {
  const head = await readHead(trail)
  let number = Math.max(head ?? 0, trail.highest)
  for (;;) {
    const window = await readChunks(trail, rangeOf(number, number + MAX_STEP))
    const latest = window.findLast(({ text }) => text !== undefined)
    for (const chunk of window) if (latest && chunk.number < latest.number) rememberFinal(trail, chunk)
    if (!latest && number === 0 && head === undefined) throw corruptHead(trail)
    if (!latest || latest.number === number) {
      return setLast(trail, latest ?? (number === 0 ? EMPTY : readChunk(number, undefined)))
    }
    number = latest.number
  }
}

/** 0 if the trail has no chunk yet; undefined if the stored number is corrupt. */
export async function readHead(trail: Trail): Promise<number | undefined> {
  const text = await trail.store.get(headKey(trail)).catch(emptyIfCorrupt)
  if (text === undefined) return 0
  if (/^\d{1,15}$/.test(text)) return Number(text)
  trail.store.metCorrupt?.add(headKey(trail), corruptHead(trail))
  return undefined
}

function corruptHead(trail: Trail): GatehouseError {
  return corruptValue(headKey(trail), 'is not the number of a chunk of the audit trail')
}

export function rangeOf(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at)
}

/** The chunk 0, which is never stored. The first stored chunk has the number 1. */
const EMPTY: Chunk = { number: 0, text: '', entries: [], isFull: true, isCorrupt: false }

export function setLast(trail: Trail, chunk: Chunk): Chunk {
  trail.last = { chunk, at: performance.now() }
  trail.highest = Math.max(trail.highest, chunk.number)
  rememberFinal(trail, chunk)
  return chunk
}

/** Any other chunk may have grown since it was read, so its ids may be outdated. */
function rememberFinal(trail: Trail, chunk: Chunk): void {
  if (chunk.isFull && chunk.text !== undefined) remember(trail, chunk)
}

/** Remembers the ids in a final chunk, or that a number is never used. */
export function remember({ ids }: Trail, { number, entries }: Pick<Chunk, 'number' | 'entries'>): void {
  ids.delete(number)
  ids.set(number, idsOf(entries))
  for (const oldest of ids.keys()) {
    if (ids.size <= REMEMBERED) break
    ids.delete(oldest)
  }
}

function idsOf(entries: readonly (AuditEntry | undefined)[]): ReadonlySet<string> {
  return new Set(entries.flatMap((entry) => entry?.id ?? []))
}

export async function findWritten(trail: Trail, ids: readonly string[], after: number, last: Chunk) {
  const first = Math.max(1, after, deletedUpTo(trail.bounds, last.number) + 1)
  // If the last chunk has grown since it was read, the compare-and-swap that adds the entries fails.
  const known = new Map([...trail.ids, [last.number, idsOf(last.entries)]])
  const numbers = rangeOf(first, last.number)
  const unknown = numbers.filter((number) => !known.has(number))
  for (const { number, entries } of await readChunks(trail, unknown)) known.set(number, idsOf(entries))
  const idsIn = (number: number) => ids.filter((id) => known.get(number)?.has(id))
  return new Map(numbers.flatMap((number) => idsIn(number).map((id) => [id, number] as const)))
}

/** The number of the last chunk; 0 if it cannot be found now. */
export async function numberOf(trail: Trail): Promise<number> {
  const last = await knownLast(trail).catch(() => undefined)
  return last?.number ?? 0
}

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

export function deletedUpTo({ maxEntries }: TrailBounds, lastNumber: number): number {
  return Math.max(0, lastNumber - Math.ceil(maxEntries / CHUNK_ENTRIES))
}

export function liveEntries(bounds: TrailBounds, { entries }: Chunk) {
  const oldest = Date.now() - ttlOf(bounds) * 1000
  return entries.flatMap((entry, index) => (entry && entry.at >= oldest ? { entry, index } : []))
}
