import { digest } from '../store/digest.ts'
import { metCorruptMember } from '../store/met-corrupt-records.ts'
import { readMembers } from '../store/pages-of-index.ts'
import { isDocumentId } from '../validation/document-id.ts'
import type { AuditEntry } from './entry.ts'
import { ttlOf } from './retention.ts'
import type { Trail } from './trail.ts'

export const LISTED = ['accountId', 'clientId', 'actor'] as const

export type ListFilter = readonly [field: (typeof LISTED)[number], value: string]

/** Days of entries that one index covers. It expires as a whole. */
const SPAN_DAYS = 90
const DAY_MS = 86_400_000

/** Numbers of chunks are inverted, so that the newest chunk comes first in an index. */
const INVERTED_DIGITS = 12
const INVERTED_FROM = 10 ** INVERTED_DIGITS - 1

const memberOf = (number: number) => String(INVERTED_FROM - number).padStart(INVERTED_DIGITS, '0')

const MEMBER = /^\d{12}$/

/** A list that this process has added to the last chunk before is not added again. */
export async function addToLists(
  trail: Trail,
  number: number,
  entries: readonly AuditEntry[],
): Promise<void> {
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
    const value = entry[field]
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
