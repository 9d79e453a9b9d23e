import type { CountedHours } from './call-counts.ts'
import { isOutcome, resultOf, type Outcome, type Result } from './outcomes.ts'
import { startOfDay, type StoredDay } from './usage-records.ts'

/** What the rows of a list of usage are separated by. */
export const DIMENSIONS = ['hour', 'day', 'client', 'operation', 'result', 'outcome'] as const

/** What the rows of a list of usage are separated by. */
export type Dimension = (typeof DIMENSIONS)[number]

/** A number of calls. It has the fields of the dimensions of the list. */
export interface UsageRow {
  /** The start of the hour or the day (UTC) in epoch seconds, by `hour` or `day`. */
  readonly at?: number | undefined
  readonly clientId?: string | undefined
  /** The scope of an operation, `POST /oauth2/token` for token requests, or `other operations`. */
  readonly operation?: string | undefined
  /** `successful`, `rejected` because of the caller (4xx), or `failed` because of the service (5xx or no answer). */
  readonly result?: Result | undefined
  readonly outcome?: Outcome | undefined
  readonly count: number
}

/** Which calls are listed. Epoch seconds. */
interface Period {
  readonly from: number
  readonly to: number
}

/** The stored days of one client. */
interface DaysOf {
  readonly clientId: string | undefined
  readonly days: readonly StoredDay[]
}

/**
 * The rows of a list, in the order of their times, clients, operations and outcomes. Counts with the same values are added
 * up.
 */
export function rowsOf(all: readonly DaysOf[], by: readonly Dimension[], { from, to }: Period): UsageRow[] {
  const rows = new Map<string, UsageRow>()
  for (const { clientId, days } of all) {
    for (const { day, hours } of days) {
      for (const { hour, operations } of hours) {
        const start = startOfDay(day) / 1000
        const time = start + (hour ?? 0) * 3600
        const ends = hour === undefined ? start + 86_400 : time + 3600
        if (ends <= from || time > to) continue
        const at = by.includes('hour') ? time : by.includes('day') ? start : undefined
        const client = by.includes('client') && clientId !== undefined && { clientId }
        addRows(rows, by, { ...(at !== undefined && { at }), ...client }, operations)
      }
    }
  }
  return [...rows].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row)
}

function addRows(
  rows: Map<string, UsageRow>,
  by: readonly Dimension[],
  fields: Pick<UsageRow, 'at' | 'clientId'>,
  operations: CountedHours[string],
): void {
  for (const [operation, counts] of Object.entries(operations)) {
    for (const [outcome, count] of Object.entries(counts)) {
      // A newer version may count further outcomes.
      if (!isOutcome(outcome)) continue
      const row: Omit<UsageRow, 'count'> = {
        ...fields,
        ...(by.includes('operation') && { operation }),
        ...(by.includes('result') && { result: resultOf(outcome) }),
        ...(by.includes('outcome') && { outcome }),
      }
      const time = String(row.at ?? '').padStart(12, '0')
      const key = [time, row.clientId, row.operation, row.result, row.outcome].join('\n')
      rows.set(key, { ...row, count: (rows.get(key)?.count ?? 0) + count })
    }
  }
}

const COLUMNS = ['at', 'clientId', 'operation', 'result', 'outcome', 'count'] as const

/**
 * A list of usage as CSV (RFC 4180) with a header. Times are ISO 8601 in UTC. A value that a spreadsheet would take for a
 * formula begins with an apostrophe.
 */
export function usageAsCsv(rows: readonly UsageRow[]): string {
  const [first = { count: 0, at: 0, outcome: 'ok' as const }] = rows
  const columns = COLUMNS.filter((name) => first[name as keyof UsageRow] !== undefined)
  const lines = rows.map((row) => columns.map((name) => cellOf(name, row[name])).join(','))
  return [columns.join(','), ...lines].map((line) => `${line}\r\n`).join('')
}

function cellOf(name: string, value: string | number | undefined): string {
  if (name === 'at') return new Date(Number(value) * 1000).toISOString().replace('.000Z', 'Z')
  const text = String(value ?? '')
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
