import { isCount, isDay, isObject, isText } from '../../validation/predicates.ts'
import { countRule, listOf, mapOf, must, objectOf, optional, textRule } from '../../validation/rules.ts'
import { addOperations, addTops, columnsOf, type Columns, type CountedHours } from './call-counts.ts'

export interface SourceRecord {
  readonly hours: CountedHours
  readonly busiest?: Columns | undefined
}

export interface StoredDay {
  readonly day: string
  /** The counts by hour; one entry with an empty hour if only the day is known. */
  readonly hours: readonly (readonly [hour: string, operations: CountedHours[string]])[]
  readonly busiest: Columns | undefined
}

type Nested = Record<string, Readonly<Record<string, Readonly<Record<string, number>>>>>

/** Names are stored once a month, so that a day needs few bytes. */
export interface MonthRecord {
  /** By operation, outcome and day of the month. */
  readonly counts: Nested
  /** By day of the month. */
  readonly busiest?: Readonly<Record<string, Columns>> | undefined
  /** By day (`2026-07-01`): the sources that are included. Older days have no list. */
  readonly sources: Readonly<Record<string, readonly string[]>>
}

/** An outcome without calls: the operation was called together with another one. */
const NOTED = 'noted'

/** Newer versions may count further outcomes. */
export const countsRule = must(
  'numbers of calls by name',
  (value) => isObject(value) && Object.values(value).every(isCount),
)
export const busiestRule = objectOf({
  clients: must('a list of clients', (value) => Array.isArray(value) && value.every(isText)),
  counts: mapOf(must('numbers of calls', (value) => Array.isArray(value) && value.every(isCount))),
})
const dayRule = (key: string) => (/^([1-9]|[12]\d|3[01])$/.test(key) ? undefined : 'is not a day')

export const MONTH_FIELDS = {
  counts: mapOf(mapOf(mapOf(countRule, dayRule))),
  busiest: optional(mapOf(busiestRule, dayRule)),
  sources: mapOf(listOf(textRule), (key) => (isDay(key) ? undefined : 'is not a day')),
}

export const monthOf = (day: string): string => day.slice(0, 7)

/** `a.b.c` becomes `c.a.b`. */
function rotate(all: Nested): Nested {
  // Without a prototype, any text can be a key.
  const rotated = Object.create(null) as Record<string, Record<string, Record<string, number>>>
  for (const [first, seconds] of Object.entries(all)) {
    for (const [second, thirds] of Object.entries(seconds)) {
      for (const [third, count] of Object.entries(thirds)) {
        const inner = (rotated[third] ??= Object.create(null) as (typeof rotated)[string])
        ;(inner[first] ??= Object.create(null) as Record<string, number>)[second] = count
      }
    }
  }
  return rotated
}

export function daysIn(month: string, { counts, busiest }: MonthRecord): StoredDay[] {
  return Object.entries(rotate(counts)).map(([day, operations]) => ({
    day: `${month}-${day.padStart(2, '0')}`,
    hours: [['', operations]],
    busiest: busiest?.[day],
  }))
}

/** Adds the counts of sources to a month, and lists the sources of a day if `keepsSources`. */
export function addToMonth(
  before: MonthRecord,
  added: readonly { readonly day: string; readonly source: string; readonly record: SourceRecord }[],
  keepsSources: (day: string) => boolean,
): MonthRecord {
  const sources = new Map(Object.entries(before.sources).filter(([day]) => keepsSources(day)))
  const [days, busiest] = [rotate(before.counts), { ...before.busiest }]
  for (const { day, source, record } of added) {
    const number = Number(day.slice(8))
    const sums = Object.entries(addOperations([days[number] ?? {}, ...Object.values(record.hours)]))
    days[number] = Object.fromEntries(
      sums.map(([name, counts]) => [name, Object.keys(counts).length > 0 ? counts : { [NOTED]: 0 }]),
    )
    if (record.busiest) busiest[number] = columnsOf(addTops([busiest[number], record.busiest]))
    sources.set(day, [...(sources.get(day) ?? []), source])
  }
  return {
    counts: rotate(rotate(days)),
    ...(Object.keys(busiest).length > 0 && { busiest }),
    sources: Object.fromEntries(sources),
  }
}
