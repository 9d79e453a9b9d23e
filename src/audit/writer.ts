import { setTimeout as delay } from 'node:timers/promises'
import { GatehouseError } from '../errors.ts'
import {
  BATCH_ENTRIES,
  chunkText,
  isOverdue,
  nextNumber,
  readChunk,
  type Chunk,
  deletedUpTo,
  chunkKey,
  DELETED_SECONDS,
  findLast,
  findWritten,
  headKey,
  knownLast,
  rangeOf,
  remember,
  setLast,
  type Trail,
} from './trail.ts'
import type { AuditEntry, PendingEntry } from './entry.ts'
import { ttlOf } from './retention.ts'
import { digest } from '../store/digest.ts'
import { metCorruptMember } from '../store/met-corrupt-records.ts'
import { readMembers } from '../store/pages-of-index.ts'
import { hostOf, isDocumentId } from '../validation/document-id.ts'

/** The number of characters that one write adds at most, unless a single entry is longer. */
const BATCH_LENGTH = 100_000

/** Far more than the number of processes. */
const MAX_ATTEMPTS = 200

interface Waiting extends PendingEntry {
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/** Writes the entries of this process to a trail, one batch after the other. */
export function createWriter(trail: Trail) {
  const waiting: Waiting[] = []
  let running: Promise<void> | undefined

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      const batch = takeBatch(waiting)
      try {
        await writeBatch(trail, batch)
        for (const { resolve } of batch) resolve()
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    running = undefined
  }

  return {
    /** An entry that is in the trail already is not added again, so a call may be repeated. */
    async append(entries: readonly PendingEntry[]): Promise<void> {
      const written = entries.map(
        (entry) => new Promise<void>((resolve, reject) => waiting.push({ ...entry, resolve, reject })),
      )
      // The first batch begins after the current synchronous code, so that it also contains entries of other callers.
      running ??= Promise.resolve().then(run)
      const failed = (await Promise.allSettled(written)).find(({ status }) => status === 'rejected')
      if (failed?.status === 'rejected') throw failed.reason
    },
    /** Settles when each entry that waits now is written or has failed. */
    settled: async () => running,
  }
}

function takeBatch(waiting: Waiting[]): Waiting[] {
  let count = 0
  let length = 0
  for (const { entry } of waiting.slice(0, BATCH_ENTRIES)) {
    length += JSON.stringify(entry).length
    if (count > 0 && length > BATCH_LENGTH) break
    count += 1
  }
  return waiting.splice(0, count)
}

async function writeBatch(trail: Trail, batch: readonly PendingEntry[]): Promise<void> {
  let hasFailed = false
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    try {
      if (await tryWrite(trail, batch)) return
    } catch (error) {
      // A rejected write may have been applied. So the chunk is read again before the second attempt.
      trail.last = undefined
      if (hasFailed) throw error
      hasFailed = true
    }
    await delay(Math.random() * Math.min(50, 2 * attempt))
  }
  throw new GatehouseError('ERR_CONFLICT', 'other processes changed the audit trail again and again')
}

/** @returns whether all entries are in the trail; false if another process changed the last chunk */
async function tryWrite(trail: Trail, batch: readonly PendingEntry[]): Promise<boolean> {
  const last = await knownLast(trail)
  const ids = batch.map(({ entry }) => entry.id)
  const written = await findWritten(trail, ids, Math.min(...batch.map(({ after }) => after)), last)
  const fresh = new Map(
    batch.flatMap(({ entry }) => (written.has(entry.id) ? [] : [[entry.id, entry] as const])),
  )
  const entries = [...fresh.values()]
  const number = entries.length === 0 ? last.number : await writeEntries(trail, last, entries)
  if (number === undefined) {
    await findLast(trail)
    return false
  }
  // An entry that was found in the trail may be stored on one server only, so its chunk is written again.
  const unconfirmed = new Map<number, string[]>()
  for (const [id, place] of written) {
    if (entries.length === 0 || place !== number)
      unconfirmed.set(place, [...(unconfirmed.get(place) ?? []), id])
  }
  const confirmed = await Promise.all([...unconfirmed].map((each) => confirmChunk(trail, ...each)))
  if (confirmed.includes(false)) {
    await findLast(trail)
    return false
  }
  // All entries are listed, because another process may have stopped between writing and listing an entry.
  const places = new Map<number, AuditEntry[]>()
  for (const { entry } of batch) {
    const place = written.get(entry.id) ?? number
    places.set(place, [...(places.get(place) ?? []), entry])
  }
  await Promise.all([...places].map(([place, listed]) => addToLists(trail, place, listed)))
  return true
}

/** The last write of the chunk may not have been confirmed as durable. @returns false if the chunk has changed */
async function confirmChunk(trail: Trail, number: number, ids: readonly string[]): Promise<boolean> {
  const key = chunkKey(trail, number)
  const text = await trail.store.get(key)
  const found = new Set(readChunk(number, text).entries.map((entry) => entry?.id))
  if (text !== undefined && ids.every((id) => found.has(id)))
    return trail.store.replace(key, text, text, ttlOf(trail.bounds))
  trail.ids.delete(number)
  return false
}

/** @returns the number of the chunk that has the entries now; undefined if the last chunk has changed */
async function writeEntries(
  trail: Trail,
  last: Chunk,
  entries: readonly AuditEntry[],
): Promise<number | undefined> {
  const { store } = trail
  if (!last.isFull && isOverdue(last, Date.now())) {
    const closed = chunkText(last.entries, true)
    if (!(await store.replace(chunkKey(trail, last.number), last.text ?? '', closed, ttlOf(trail.bounds))))
      return undefined
    return writeEntries(trail, setLast(trail, { ...last, text: closed, isFull: true }), entries)
  }
  const number = last.isFull ? nextNumber(last) : last.number
  const all = last.isFull ? entries : [...last.entries, ...entries]
  const text = chunkText(all)
  const key = chunkKey(trail, number)
  const isWritten = last.isFull
    ? await store.create(key, text, ttlOf(trail.bounds))
    : await store.replace(key, last.text ?? '', text, ttlOf(trail.bounds))
  if (!isWritten) return undefined
  for (const gap of rangeOf(last.number + 1, number - 1)) remember(trail, { number: gap, entries: [] })
  setLast(trail, readChunk(number, text))
  if (last.isFull) await tidy(trail, last.number, number)
  return number
}

/** Failures are harmless: readers skip the old chunks, and the store deletes them later. */
async function tidy(trail: Trail, before: number, number: number): Promise<void> {
  const { store } = trail
  const old = rangeOf(deletedUpTo(trail.bounds, before) + 1, deletedUpTo(trail.bounds, number))
  await Promise.allSettled([
    store.set(headKey(trail), String(number)),
    ...old.map((each) => store.set(chunkKey(trail, each), chunkText([], true), DELETED_SECONDS)),
  ])
}

export const LISTED = ['accountId', 'clientId', 'actor', 'documentHost'] as const

export type ListFilter = readonly [field: (typeof LISTED)[number], value: string]

/** The value by which a list has an entry. */
export function listedAs(entry: AuditEntry, field: ListFilter[0]): string | undefined {
  if (field !== 'documentHost') return entry[field]
  const { name, target, clientId = '' } = entry
  if (name.startsWith('document_host.')) return target
  return isDocumentId(clientId) ? hostOf(clientId) : undefined
}

/** Days of entries that one index covers. It expires as a whole. */
const SPAN_DAYS = 90
const DAY_MS = 86_400_000

/** Numbers of chunks are inverted, so that the newest chunk comes first in an index. */
const INVERTED_DIGITS = 12
const INVERTED_FROM = 10 ** INVERTED_DIGITS - 1

const memberOf = (number: number) => String(INVERTED_FROM - number).padStart(INVERTED_DIGITS, '0')

const MEMBER = /^\d{12}$/

/** A list that this process has added to the last chunk before is not added again. */
export async function addToLists(trail: Trail, number: number, entries: readonly AuditEntry[]) {
  const { store, bounds, last } = trail
  const ttl = ttlOf(bounds) + (SPAN_DAYS + 1) * 86_400
  if (trail.listed.of !== last?.chunk.number)
    trail.listed = { of: last?.chunk.number ?? 0, indexes: new Set() }
  const { of, indexes: known } = trail.listed
  const indexes = new Set(entries.flatMap((entry) => indexesOf(trail, entry)))
  const missing = [...indexes].filter((index) => number !== of || !known.has(index))
  await Promise.all(missing.map((index) => store.add(index, memberOf(number), ttl)))
  if (number === of) for (const index of missing) known.add(index)
}

export async function removeFromLists(
  trail: Trail,
  number: number,
  before: readonly (AuditEntry | undefined)[],
  after: readonly (AuditEntry | undefined)[],
): Promise<void> {
  const kept = new Set(after.flatMap((entry) => (entry ? indexesOf(trail, entry) : [])))
  const lost = new Set(before.flatMap((entry) => (entry ? indexesOf(trail, entry) : [])))
  const indexes = [...lost].filter((index) => !kept.has(index))
  for (const index of indexes) trail.listed.indexes.delete(index)
  await Promise.all(indexes.map((index) => trail.store.remove(index, memberOf(number))))
}

function indexesOf(trail: Trail, entry: AuditEntry): string[] {
  return LISTED.flatMap((field) => {
    const value = listedAs(entry, field)
    return value === undefined ? [] : indexName(trail, [field, value], spanOf(entry.at))
  })
}

/** The numbers of the chunks that contain entries of a list, newest first. */
export async function listedChunks(
  trail: Trail,
  filter: ListFilter,
  { from, limit, now }: { readonly from: number | undefined; readonly limit: number; readonly now: number },
): Promise<{ readonly numbers: readonly number[]; readonly isCorrupt: boolean }> {
  const { store, bounds } = trail
  const after = from === undefined ? undefined : memberOf(from + 1)
  // Reads one more span at each end, because the clocks of processes differ.
  const newest = spanOf(now) + 1
  const count = Math.ceil(bounds.maxAgeDays / SPAN_DAYS) + 3
  let isCorrupt = false
  const ranges = Array.from({ length: count }, async (_, back) => {
    const index = indexName(trail, filter, newest - back)
    const members = await readMembers(store, index, { after, limit })
    const known = members.filter((member) => MEMBER.test(member))
    if (known.length === members.length) return members
    isCorrupt = true
    metCorruptMember(store, index)
    return known
  })
  const members = new Set((await Promise.all(ranges)).flat())
  const found = [...members].toSorted().slice(0, limit)
  return { numbers: found.map((member) => INVERTED_FROM - Number(member)), isCorrupt }
}

function spanOf(at: number): number {
  return Math.floor(at / (SPAN_DAYS * DAY_MS))
}

function indexName({ name }: Trail, [field, value]: ListFilter, span: number): string {
  // The address of a document may be longer than the name of an index may be.
  const id = field === 'clientId' && isDocumentId(value) ? digest(value) : value
  return `audit:${name}:${field}:${span}:${id}`
}
