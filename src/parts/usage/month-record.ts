import { isCount, isDay, isObject } from '../../validation/predicates.ts'
import { countRule, listOf, mapOf, must, optional, textRule } from '../../validation/rules.ts'
import { addOperations, addTops, type CountedHours, type Top } from './call-counts.ts'

export interface SourceRecord {
  readonly hours: CountedHours
  readonly top?: Top | undefined
}

export interface StoredDay {
  readonly day: string
  /** The counts by hour; one entry with the hour undefined if only the day is known. */
  readonly hours: readonly { readonly hour: number | undefined; readonly operations: CountedHours[string] }[]
  readonly top: Top
}

type Nested = Record<string, Readonly<Record<string, Readonly<Record<string, number>>>>>

/** Names are stored once a month, so that a day needs few bytes. */
export interface MonthRecord {
  /** By operation, outcome and day of the month. */
  readonly counts: Nested
  /** By day of the month. */
  readonly top?: Readonly<Record<string, Top>> | undefined
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
export const topRule = must(
  'numbers of calls by client',
  (value) => isObject(value) && Object.values(value).every((of) => isCount(of) || !countsRule(of)),
)
const dayRule = (key: string) => (/^([1-9]|[12]\d|3[01])$/.test(key) ? undefined : 'is not a day')

export const MONTH_FIELDS = {
  counts: mapOf(mapOf(mapOf(countRule, dayRule))),
  top: optional(mapOf(topRule, dayRule)),
  sources: mapOf(listOf(textRule), (key) => (isDay(key) ? undefined : 'is not a day')),
}

export const monthOf = (day: string): string => day.slice(0, 7)

/** `a.b.c` becomes `b.c.a`. */
function rotate(all: Nested): Nested {
  // Without a prototype, any text can be a key.
  const rotated = Object.create(null) as Record<string, Record<string, Record<string, number>>>
  for (const [first, seconds] of Object.entries(all)) {
    for (const [second, thirds] of Object.entries(seconds)) {
      for (const [third, count] of Object.entries(thirds)) {
        const inner = (rotated[second] ??= Object.create(null) as (typeof rotated)[string])
        ;(inner[third] ??= Object.create(null) as Record<string, number>)[first] = count
      }
    }
  }
  return rotated
}

export function daysIn(month: string, { counts, top }: MonthRecord): StoredDay[] {
  return Object.entries(rotate(rotate(counts))).map(([day, operations]) => ({
    day: `${month}-${day.padStart(2, '0')}`,
    hours: [{ hour: undefined, operations }],
    top: top?.[day] ?? {},
  }))
}

/** Adds the counts of sources to a month, and lists the sources of a day if `keepsSources`. */
export function addToMonth(
  before: MonthRecord,
  added: readonly { readonly day: string; readonly source: string; readonly record: SourceRecord }[],
  keepsSources: (day: string) => boolean,
): MonthRecord {
  const sources = new Map(Object.entries(before.sources).filter(([day]) => keepsSources(day)))
  const [days, top] = [rotate(rotate(before.counts)), { ...before.top }]
  for (const { day, source, record } of added) {
    const number = Number(day.slice(8))
    const sums = Object.entries(addOperations([days[number] ?? {}, ...Object.values(record.hours)]))
    days[number] = Object.fromEntries(
      sums.map(([name, counts]) => [name, Object.keys(counts).length > 0 ? counts : { [NOTED]: 0 }]),
    )
    const tops = addTops([top[number], record.top])
    if (Object.keys(tops).length > 0) top[number] = tops
    sources.set(day, [...(sources.get(day) ?? []), source])
  }
  return {
    counts: rotate(days),
    ...(Object.keys(top).length > 0 && { top }),
    sources: Object.fromEntries(sources),
  }
}
