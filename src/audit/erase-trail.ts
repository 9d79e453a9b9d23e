import { setTimeout as delay } from 'node:timers/promises'
import { GatehouseError } from '../errors.ts'
import { deletedUpTo, readChunk, type Chunk } from './trail.ts'
import { isEntry } from './entry.ts'
import { eraseEntry, type ErasedPeople } from './erase-entry.ts'
import { addToLists, removeFromLists } from './writer.ts'
import { ttlOf } from './retention.ts'
import { chunkKey, corruptChunk, findLast, rangeOf, readChunks, type Trail } from './trail.ts'

const PAGE_SIZE = 200

const MAX_ATTEMPTS = 50

export interface ErasedEntries {
  readonly entries: number
  readonly errors: readonly GatehouseError[]
}

/** All chunks of a trail, from the oldest to the newest, page by page. */
export async function* chunksOf(trail: Trail): AsyncGenerator<readonly Chunk[]> {
  const last = await findLast(trail)
  for (let from = deletedUpTo(trail.bounds, last.number) + 1; from <= last.number; from += PAGE_SIZE) {
    yield await readChunks(trail, rangeOf(from, Math.min(last.number, from + PAGE_SIZE - 1)))
  }
}

/**
 * Rewrites the entries that name erased people. They keep ids and order, so cursors stay valid. Corrupt entries stay.
 * May be repeated. @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`; `ERR_CONFLICT` if others keep changing a chunk
 */
export async function eraseInTrail(trail: Trail, people: ErasedPeople): Promise<ErasedEntries> {
  let entries = 0
  const errors: GatehouseError[] = []
  for await (const chunks of chunksOf(trail)) {
    for (const chunk of chunks) {
      if (chunk.isCorrupt) errors.push(corruptChunk(trail, chunk.number))
      entries += await eraseInChunk(trail, chunk, people)
    }
  }
  return { entries, errors }
}

async function eraseInChunk(trail: Trail, first: Chunk, people: ErasedPeople): Promise<number> {
  let chunk = first
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const { number, text, entries } = chunk
    const left = entries.map((entry) => entry && eraseEntry(entry, people))
    const changed = left.filter((entry, at) => entry !== entries[at]).length
    if (text === undefined || changed === 0) return 0
    // The lists first: if the write then fails, a repeated call finds the same entries, and changes the lists again.
    await removeFromLists(trail, number, entries, left)
    const ttl = ttlLeft(trail, entries)
    if (await trail.store.replace(chunkKey(trail, number), text, textWith(chunk, left), ttl)) {
      // The process that added an entry meanwhile may have added it to its lists before they were changed here.
      const present = left.filter((entry) => entry !== undefined)
      await addToLists(trail, number, present)
      return changed
    }
    await delay(Math.random() * Math.min(50, 2 * attempt))
    const now = await trail.store.get(chunkKey(trail, number))
    chunk = readChunk(number, now)
  }
  throw new GatehouseError('ERR_CONFLICT', 'other processes changed the audit trail again and again')
}

/** The chunk is closed: another process may have created the next one, and none takes it for the last chunk any more. */
function textWith({ text = '' }: Chunk, entries: Chunk['entries']): string {
  const value = JSON.parse(text) as Record<string, unknown>
  const raw = Array.isArray(value['entries']) ? (value['entries'] as unknown[]) : []
  const replaced = raw.map((entry, at) => (isEntry(entry) ? (entries[at] ?? entry) : entry))
  return JSON.stringify({ ...value, closed: true, entries: replaced })
}

/** The seconds for which a chunk must still be kept, and one more day, because the clocks of processes differ. */
function ttlLeft({ bounds }: Trail, entries: Chunk['entries']): number {
  const newest = Math.max(...entries.map((entry) => entry?.at ?? 0))
  const age = Math.max(0, Math.floor((Date.now() - newest) / 1000))
  return Math.min(ttlOf(bounds), Math.max(1, ttlOf(bounds) - age + 86_400))
}
