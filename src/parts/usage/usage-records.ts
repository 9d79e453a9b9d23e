import { storedIdOf } from '../../clients/documents/document-id.ts'
import type { Logger } from '../../host/logger.ts'
import { digest } from '../../store/digest.ts'
import { createCollection } from '../../store/collection.ts'
import { CorruptRecord, isCorruptRecord } from '../../store/corrupt-record.ts'
import { metCorruptMember, type StoreWithMemory } from '../../store/met-corrupt-records.ts'
import { membersOf, readMembers } from '../../store/pages-of-index.ts'
import { isDay } from '../../validation/predicates.ts'
import { mapOf, optional } from '../../validation/rules.ts'
import { columnsOf, type CountedDay } from './call-counts.ts'
import {
  addToMonth,
  busiestRule,
  countsRule,
  daysIn,
  MONTH_FIELDS,
  monthOf,
  type MonthRecord,
  type SourceRecord,
  type StoredDay,
} from './month-record.ts'

/** Defaults of the options `days` and `hourDays`: how long usage is kept, and how long by the hour. */
export const USAGE_DAYS = 400
export const HOUR_DAYS = 7

const DAY_MS = 86_400_000
/** Totals that are stored later are left out. */
const SOURCES_KEPT_DAYS = 3

export const hourRule = (hour: string) => (/^(1?\d|2[0-3])$/.test(hour) ? undefined : 'is not an hour')

/** @param now milliseconds since the epoch */
export const dayOf = (now: number): string => new Date(now).toISOString().slice(0, 10)

export const startOfDay = (day: string): number => Date.parse(`${day}T00:00:00Z`)

export const daysBefore = (day: string, days: number): string => dayOf(startOfDay(day) - days * DAY_MS)

/**
 * Stores usage. Each source stores its totals of a client and day in a record of its own, so a repeated write changes
 * nothing. Days that are more than `hourDays` days ago are merged into one record a month, without hours.
 */
export function createUsageRecords(
  store: StoreWithMemory,
  bounds: {
    readonly days: number
    readonly hourDays: number
    readonly now: () => number
    readonly logger: Logger
  },
) {
  const sources = createCollection<SourceRecord>(store, {
    name: 'usage',
    version: 1,
    fields: { hours: mapOf(mapOf(countsRule), hourRule), busiest: optional(busiestRule) },
  })
  const months = createCollection<MonthRecord>(store, {
    name: 'usage-month',
    version: 1,
    fields: MONTH_FIELDS,
  })
  /** The index of the sources of a client that are not merged yet: members `<day>:<source>`. */
  const indexOf = (clientId: string | undefined) => `usage-days:${subject(clientId)}`
  const today = () => dayOf(bounds.now())
  const ttlOf = (day: string) =>
    Math.max(1, Math.ceil((startOfDay(day) + (bounds.days + 1) * DAY_MS - bounds.now()) / 1000))

  async function unmerged(clientId: string | undefined, from: string, to: string): Promise<string[]> {
    const index = indexOf(clientId)
    // A text just before all members of the first day.
    const members = await membersOf(store, index, { after: `${daysBefore(from, 1)}~` })
    const days = new Set([...new Set(members.map(dayIn))].filter(isDay))
    const inTime = members.filter((member) => dayIn(member) <= to)
    const sound = inTime.filter((member) => MEMBER.test(member) && days.has(dayIn(member)))
    if (sound.length < inTime.length) metCorruptMember(store, index)
    return sound
  }

  const readSources = (clientId: string | undefined, members: readonly string[]) =>
    sources.getEach(members.map((member) => `${subject(clientId)}:${member}`))

  async function mergeMonth(clientId: string | undefined, month: string, members: readonly string[]) {
    const id = `${subject(clientId)}:${month}`
    const records = await readSources(clientId, members)
    const recent = daysBefore(today(), bounds.hourDays + SOURCES_KEPT_DAYS)
    const merging = new Set(members.map(dayIn))
    await months.put(
      id,
      (before = { counts: {}, sources: {} }) => {
        const added = members.flatMap((member, at) => {
          const record = records[at]
          const [day, source] = [dayIn(member), member.slice(11)]
          const isNew = record && !(record instanceof CorruptRecord) && !before.sources[day]?.includes(source)
          return isNew ? [{ day, source, record }] : []
        })
        if (added.length === 0) return undefined
        return addToMonth(before, added, (day) => day >= recent || merging.has(day))
      },
      { ttl: ttlOf(daysBefore(`${month}-01`, -30)) },
    )
    for (const [at, member] of members.entries()) {
      // A record that cannot be read stays until it expires.
      if (records[at] instanceof CorruptRecord) continue
      await sources.delete(`${subject(clientId)}:${member}`)
      await store.remove(indexOf(clientId), member)
    }
  }

  async function mergeMonths(clientId: string | undefined): Promise<void> {
    const oldest = daysBefore(today(), bounds.days)
    const byMonth = new Map<string, string[]>()
    for (const member of await unmerged(clientId, '1970-01-02', daysBefore(today(), bounds.hourDays + 1))) {
      const month = monthOf(member)
      // The record has expired by itself.
      if (dayIn(member) < oldest) await store.remove(indexOf(clientId), member)
      else byMonth.set(month, [...(byMonth.get(month) ?? []), member])
    }
    for (const [month, members] of byMonth) {
      await mergeMonth(clientId, month, members).catch((error: unknown) => {
        // The days stay in their sources if the record of the month cannot be read.
        if (!isCorruptRecord(error)) throw error
      })
    }
  }

  async function readMonths(clientId: string | undefined, from: string, to: string) {
    // The days since yesterday are not merged yet.
    const names = from < daysBefore(today(), 1) ? monthsBetween(from, to) : []
    const records = await months.getEach(names.map((month) => `${subject(clientId)}:${month}`))
    const days: StoredDay[] = []
    const merged = new Set<string>()
    for (const [at, month] of names.entries()) {
      const record = records[at]
      if (!record || record instanceof CorruptRecord) continue
      days.push(...daysIn(month, record).filter(({ day }) => day >= from && day <= to))
      for (const [day, list] of Object.entries(record.sources)) {
        for (const source of list) merged.add(`${day}:${source}`)
      }
    }
    return { days, merged }
  }

  const running = new Set<
    readonly [id: string | undefined, first: string, last: string, Promise<StoredDay[]>]
  >()

  async function readDays(clientId: string | undefined, first: string, last: string): Promise<StoredDay[]> {
    const oldest = daysBefore(today(), bounds.days)
    // The clock of a gateway may be ahead.
    const newest = daysBefore(today(), -1)
    const [from, to] = [first > oldest ? first : oldest, last < newest ? last : newest]
    const members = await unmerged(clientId, from, to)
    // The sources are read first: another process may merge a day meanwhile.
    const records = await readSources(clientId, members)
    const { days, merged } = await readMonths(clientId, from, to)
    for (const [at, member] of members.entries()) {
      const record = records[at]
      if (!record || record instanceof CorruptRecord || merged.has(member)) continue
      days.push({ day: dayIn(member), hours: Object.entries(record.hours), busiest: record.busiest })
    }
    return days
  }

  return {
    /** Totals that are too late are left out, because the month may already contain them. */
    async write({ day, source, clientId, isFirst, hours, top }: CountedDay): Promise<void> {
      if (day <= daysBefore(today(), bounds.hourDays + SOURCES_KEPT_DAYS)) return
      const id = `${subject(clientId)}:${day}:${source}`
      const ttl = ttlOf(day)
      if (isFirst) await store.add(indexOf(clientId), `${day}:${source}`, ttl)
      // The hours are JSON already.
      const others = top && Object.keys(top).length > 0 ? `,"busiest":${JSON.stringify(columnsOf(top))}` : ''
      await store.set(sources.key(id), `{"v":1,"hours":${hours}${others}}`, ttl)
    },

    /** What a source has stored of some clients, or of an account. */
    async ofSource({ day, source }: Pick<CountedDay, 'day' | 'source'>, clientIds: readonly string[]) {
      const found = await sources.getEach(clientIds.map((id) => `${subject(id)}:${day}:${source}`))
      return found.map((record) => (record instanceof CorruptRecord ? undefined : record))
    },

    async delete(clientId: string): Promise<void> {
      for (const member of await unmerged(clientId, '1970-01-02', '9999-12-31')) {
        await sources.delete(`${subject(clientId)}:${member}`)
        await store.remove(indexOf(clientId), member)
      }
      const names = monthsBetween(daysBefore(today(), bounds.days + 31), today())
      for (const month of names) await months.delete(`${subject(clientId)}:${month}`)
    },

    /** Never rejects: it is called after a write, which has succeeded. */
    async mergeOldDays(clientId: string | undefined): Promise<void> {
      await mergeMonths(clientId).catch((error: unknown) => {
        bounds.logger.debug({ clientId, err: error }, 'old usage could not be merged yet')
      })
    },

    /** Counts of all calls if `clientId` is undefined. The lists of a page share a read that runs. */
    async read(clientId: string | undefined, first: string, last: string): Promise<StoredDay[]> {
      const known = [...running].find(([id, from, to]) => id === clientId && from <= first && to >= last)
      if (known) return (await known[3]).filter(({ day }) => day >= first && day <= last)
      const read = [clientId, first, last, readDays(clientId, first, last)] as const
      running.add(read)
      return read[3].finally(() => running.delete(read))
    },

    async isKnownSince(day: string): Promise<boolean> {
      const oldest = daysBefore(today(), bounds.days)
      if (day < oldest) return false
      const [member] = await readMembers(store, indexOf(undefined), { limit: 1 })
      if (member !== undefined && dayIn(member) <= day) return true
      // Mostly the month of the day is enough.
      const ofMonth = await readMonths(undefined, `${monthOf(day)}-01`, day)
      return ofMonth.days.length > 0 || (await readMonths(undefined, oldest, day)).days.length > 0
    },
  }
}

export type UsageRecords = ReturnType<typeof createUsageRecords>

/** In place of a client id, for the totals of an account. */
export const subjectOfAccount = (accountId: string): string => `*${digest(accountId)}`

/** The key of all calls, or of an account, cannot be a client id, because a client id has no `*`. */
const subject = (clientId: string | undefined) => (clientId === undefined ? '*' : storedIdOf(clientId))

const MEMBER = /^\d{4}-\d\d-\d\d:[\w.~@=:-]{1,300}$/

const dayIn = (member: string): string => member.slice(0, 10)

function monthsBetween(from: string, to: string): string[] {
  const found: string[] = []
  for (let day = from; monthOf(day) <= monthOf(to); day = daysBefore(`${monthOf(day)}-01`, -31)) {
    found.push(monthOf(day))
  }
  return found
}
