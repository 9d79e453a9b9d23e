import { storedIdOf } from '../clients/documents/document-id.ts'
import type { Logger } from '../host/logger.ts'
import { createCollection } from '../store/collection.ts'
import { CorruptRecord } from '../store/corrupt-record.ts'
import { metCorruptMember, type StoreWithMemory } from '../store/met-corrupt-records.ts'
import { isCount, isDay } from '../validation/predicates.ts'
import { countRule, listOf, mapOf, optional, textRule } from '../validation/rules.ts'
import { TOP_CLIENTS, type CountedDay, type CountedHours, type Counts } from './call-counts.ts'

const DAY_MS = 86_400_000
/** The number of members and records that one call of the store reads. */
const PAGE = 1000
/** The days that one write merges at most. Further days follow with later writes. */
const MERGED_AT_ONCE = 400
/** The attempts to merge a day while other processes merge it too. */
const ATTEMPTS = 5

/** What one source has counted on a day. */
interface SourceRecord {
  readonly hours: CountedHours
  readonly top?: Readonly<Record<string, number>> | undefined
}

/** The counts of a day of all sources, without the hours. */
interface DayRecord {
  readonly operations: Readonly<Record<string, Counts>>
  readonly top?: Readonly<Record<string, number>> | undefined
  /** The sources whose counts are included. */
  readonly sources: readonly string[]
}

/** What was counted on a day, from one source or from all. */
export interface StoredDay {
  readonly day: string
  /** The counts by hour; one entry with the hour undefined if only the day is known. */
  readonly hours: readonly { readonly hour: number | undefined; readonly operations: CountedHours[string] }[]
  readonly top: Readonly<Record<string, number>>
}

// Newer versions may count further outcomes.
const operationsRule = mapOf(mapOf(countRule))
const hoursRule = mapOf(operationsRule, (hour) =>
  /^(1?\d|2[0-3])$/.test(hour) ? undefined : 'is not an hour',
)
const topRule = optional(mapOf(countRule))

/** The day of a time, in UTC. @param now milliseconds since the epoch */
export const dayOf = (now: number): string => new Date(now).toISOString().slice(0, 10)

/** The first millisecond of a day. */
export const startOfDay = (day: string): number => Date.parse(`${day}T00:00:00Z`)

/** The day so many days before another one. */
export const daysBefore = (day: string, days: number): string => dayOf(startOfDay(day) - days * DAY_MS)

/**
 * The stored usage. Each source stores its totals of a client and day in a record of its own, so a repeated write changes
 * nothing, and readers add up the sources. Days that are more than `hourDays` days ago are merged into one record without
 * hours.
 *
 * @param bounds.days days after which a record expires
 * @param bounds.hourDays days before today of which the hours are kept
 */
export function createUsageRecords(
  store: StoreWithMemory,
  bounds: { readonly days: number; readonly hourDays: number },
) {
  const sources = createCollection<SourceRecord>(store, {
    name: 'usage',
    version: 1,
    fields: { hours: hoursRule, top: topRule },
  })
  const merged = createCollection<DayRecord>(store, {
    name: 'usage-day',
    version: 1,
    fields: { operations: operationsRule, top: topRule, sources: listOf(textRule) },
  })
  /** The index of the days of a client: members `<day>` for a merged day, and `<day>:<source>`. */
  const indexOf = (clientId: string | undefined) => `usage-days:${subject(clientId)}`
  const ttlOf = (day: string, now: number) =>
    Math.max(1, Math.ceil((startOfDay(day) + (bounds.days + 1) * DAY_MS - now) / 1000))

  async function* members(clientId: string | undefined, from: string, to: string): AsyncGenerator<string> {
    const index = indexOf(clientId)
    // A text just before all members of the first day.
    let after = `${daysBefore(from, 1)}~`
    for (;;) {
      const page = await store.range(index, { after, limit: PAGE })
      for (const member of page) {
        if (member.slice(0, 10) > to) return
        if (MEMBER.test(member) && isDay(member.slice(0, 10))) yield member
        else metCorruptMember(store, index)
      }
      if (page.length < PAGE) return
      after = page.at(-1) ?? after
    }
  }

  async function membersByDay(clientId: string | undefined, from: string, to: string) {
    const byDay = new Map<string, string[]>()
    for await (const member of members(clientId, from, to)) {
      const [day, source] = splitMember(member)
      const list = byDay.get(day) ?? []
      byDay.set(day, list)
      if (source !== undefined) list.push(source)
    }
    return byDay
  }

  async function mergeDay(clientId: string | undefined, day: string, found: readonly string[], now: number) {
    const id = `${subject(clientId)}:${day}`
    const records = await sources.getEach(found.map((source) => `${id}:${source}`))
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const [present] = await merged.getEach([id])
      // The day stays in its sources if the merged record cannot be read.
      if (present instanceof CorruptRecord) return
      const stored = await merged.read(id)
      const before = stored?.record ?? { operations: {}, sources: [] }
      const added = found.flatMap((source, at) => {
        const record = records[at]
        const isNew = record && !(record instanceof CorruptRecord) && !before.sources.includes(source)
        return isNew ? [{ source, record }] : []
      })
      if (added.length > 0) {
        const after: DayRecord = {
          operations: addOperations([
            before.operations,
            ...added.flatMap(({ record }) => Object.values(record.hours)),
          ]),
          top: addTops([before.top, ...added.map(({ record }) => record.top)]),
          sources: [...before.sources, ...added.map(({ source }) => source)],
        }
        await store.add(indexOf(clientId), day, ttlOf(day, now))
        const isStored = await (stored
          ? merged.replace(id, stored, after, ttlOf(day, now))
          : merged.create(id, after, ttlOf(day, now)))
        if (!isStored) continue
      }
      for (const [at, source] of found.entries()) {
        // A record that cannot be read stays until it expires.
        if (records[at] instanceof CorruptRecord) continue
        await sources.delete(`${id}:${source}`)
        await store.remove(indexOf(clientId), `${day}:${source}`)
      }
      return
    }
  }

  return {
    /**
     * Stores the totals of a source, instead of its earlier totals of the client and day.
     *
     * @param now milliseconds since the epoch
     */
    async write({ day, source, clientId, isFirst, hours, top }: CountedDay, now: number): Promise<void> {
      const id = `${subject(clientId)}:${day}:${source}`
      const ttl = ttlOf(day, now)
      if (isFirst) await store.add(indexOf(clientId), `${day}:${source}`, ttl)
      // The hours are JSON already.
      const others = top && Object.keys(top).length > 0 ? `,"top":${JSON.stringify(top)}` : ''
      await store.set(sources.key(id), `{"v":1,"hours":${hours}${others}}`, ttl)
    },

    /** Merges the days of a client that are more than `hourDays` days ago, and removes the entries of expired days. */
    async mergeOldDays(clientId: string | undefined, now: number): Promise<void> {
      const today = dayOf(now)
      const oldest = daysBefore(today, bounds.days)
      const byDay = await membersByDay(clientId, '1970-01-02', daysBefore(today, bounds.hourDays + 1))
      let count = 0
      for (const [day, found] of byDay) {
        if (count === MERGED_AT_ONCE) return
        if (day < oldest) {
          // The records have expired by themselves.
          for (const each of [day, ...found.map((source) => `${day}:${source}`)])
            await store.remove(indexOf(clientId), each)
        } else if (found.length > 0) {
          await mergeDay(clientId, day, found, now)
        } else continue
        count += 1
      }
    },

    /** What was counted from the first day to the last day, both included. @param clientId undefined for all calls */
    async read(clientId: string | undefined, from: string, to: string): Promise<StoredDay[]> {
      const byDay = await membersByDay(clientId, from, to)
      const ids = [...byDay].flatMap(([day, found]) => found.map((source) => ({ day, source })))
      const days = [...byDay.keys()]
      // The sources are read first: another process may merge a day meanwhile.
      const bySource = await readInPages(ids, (page) =>
        sources.getEach(page.map(({ day, source }) => `${subject(clientId)}:${day}:${source}`)),
      )
      const byDays = await readInPages(days, (page) =>
        merged.getEach(page.map((day) => `${subject(clientId)}:${day}`)),
      )
      const mergedSources = new Map<string, ReadonlySet<string>>()
      const read: StoredDay[] = []
      for (const [at, day] of days.entries()) {
        const record = byDays[at]
        if (!record || record instanceof CorruptRecord) continue
        mergedSources.set(day, new Set(record.sources))
        read.push({ day, hours: [{ hour: undefined, operations: record.operations }], top: record.top ?? {} })
      }
      for (const [at, { day, source }] of ids.entries()) {
        const record = bySource[at]
        // Another process may be merging the day now.
        if (!record || record instanceof CorruptRecord || mergedSources.get(day)?.has(source)) continue
        const hours = Object.entries(record.hours).map(([hour, operations]) => ({
          hour: Number(hour),
          operations,
        }))
        read.push({ day, hours, top: record.top ?? {} })
      }
      return read
    },

    /** The first day of which anything was counted. Undefined if nothing was counted. */
    async firstDay(): Promise<string | undefined> {
      const [member] = await store.range(indexOf(undefined), { limit: 1 })
      return member?.slice(0, 10)
    },
  }
}

/** The stored usage. */
export type UsageRecords = ReturnType<typeof createUsageRecords>

/** Merges old days in the background of a write, which has succeeded. Never rejects. */
export async function mergeOldDays(
  records: Pick<UsageRecords, 'mergeOldDays'>,
  clientId: string | undefined,
  { now, logger }: { readonly now: number; readonly logger: Logger },
): Promise<void> {
  await records.mergeOldDays(clientId, now).catch((error: unknown) => {
    logger.debug({ clientId, err: error }, 'old usage could not be merged yet')
  })
}

/** The key of all calls cannot be a client id, because a client id has no `*`. */
const subject = (clientId: string | undefined) => (clientId === undefined ? '*' : storedIdOf(clientId))

const MEMBER = /^\d{4}-\d\d-\d\d(:[\w.~@=:-]{1,300})?$/

function splitMember(member: string): readonly [day: string, source: string | undefined] {
  const source = member.slice(11)
  return [member.slice(0, 10), source === '' ? undefined : source]
}

async function readInPages<Id, Value>(
  ids: readonly Id[],
  read: (page: readonly Id[]) => Promise<readonly Value[]>,
): Promise<Value[]> {
  const values: Value[] = []
  for (let at = 0; at < ids.length; at += PAGE) values.push(...(await read(ids.slice(at, at + PAGE))))
  return values
}

/** Adds up counts by operation. */
export function addOperations(all: readonly CountedHours[string][]): Record<string, Counts> {
  const sums = new Map<string, Record<string, number>>()
  for (const [operation, counts] of all.flatMap((each) => Object.entries(each))) {
    const sum = sums.get(operation) ?? {}
    sums.set(operation, sum)
    for (const [outcome, count] of Object.entries(counts)) {
      sum[outcome] = Math.min((sum[outcome] ?? 0) + count, Number.MAX_SAFE_INTEGER)
    }
  }
  return Object.fromEntries(sums)
}

/** Adds up lists of the clients with the most calls, and keeps the first ones. */
export function addTops(
  tops: readonly (Readonly<Record<string, number>> | undefined)[],
): Record<string, number> | undefined {
  const sums = new Map<string, number>()
  for (const [clientId, calls] of tops.flatMap((top) => Object.entries(top ?? {}))) {
    if (isCount(calls)) sums.set(clientId, (sums.get(clientId) ?? 0) + calls)
  }
  if (sums.size === 0) return undefined
  return Object.fromEntries([...sums].toSorted(([, one], [, other]) => other - one).slice(0, TOP_CLIENTS))
}
