import { GatehouseError } from '../../errors.ts'
import { addOperations, type CountedHours } from './call-counts.ts'
import { isOutcome, resultOf, type Outcome, type Result } from './outcomes.ts'
import type { StoredDay } from './month-record.ts'
import { startOfDay } from './usage-records.ts'

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

const MAX_ROWS = 10_000
const TOO_MANY_ROWS = `the usage was not listed: it has more than ${MAX_ROWS} rows; name fewer dimensions in \`by\`, or a shorter time`

/** Adds up the counts of clients in the rows of a list. */
export function createRows(by: readonly Dimension[], { from, to }: { from: number; to: number }) {
  const has = Object.fromEntries(DIMENSIONS.map((name) => [name, by.includes(name)]))
  const rows = new Map<string, UsageRow & { count: number }>()

  function add(fields: Pick<UsageRow, 'at' | 'clientId'>, operations: CountedHours[string]): void {
    const start = `${String(fields.at ?? '').padStart(12, '0')}\n${fields.clientId ?? ''}`
    for (const [operation, counts] of Object.entries(operations)) {
      for (const [outcome, count] of Object.entries(counts)) {
        // A newer version may count further outcomes.
        if (!isOutcome(outcome)) continue
        const result = has['result'] ? resultOf(outcome) : ''
        const key = `${start}\n${has['operation'] ? operation : ''}\n${result}\n${has['outcome'] ? outcome : ''}`
        const present = rows.get(key)
        if (present) present.count += count
        else if (rows.size < MAX_ROWS) {
          rows.set(key, {
            ...fields,
            ...(has['operation'] && { operation }),
            ...(result !== '' && { result }),
            ...(has['outcome'] && { outcome }),
            count,
          })
        } else throw new GatehouseError('ERR_INVALID_ARGUMENT', TOO_MANY_ROWS)
      }
    }
  }

  return {
    /** @throws {GatehouseError} `ERR_INVALID_ARGUMENT` if the list has too many rows */
    add(clientId: string | undefined, days: readonly StoredDay[]): void {
      const client = has['client'] && clientId !== undefined && { clientId }
      for (const { day, hours } of days) {
        const start = startOfDay(day) / 1000
        const all = () => [{ hour: 0, operations: addOperations(hours.map(({ operations }) => operations)) }]
        for (const { hour = 0, operations } of has['hour'] ? hours : all()) {
          const at = start + hour * 3600
          if (at + (has['hour'] ? 3600 : 86_400) <= from || at > to) continue
          add({ ...((has['hour'] || has['day']) && { at }), ...client }, operations)
        }
      }
    },

    sorted: (): UsageRow[] =>
      [...rows].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row),
  }
}

const COLUMNS = ['at', 'clientId', 'operation', 'result', 'outcome', 'count'] as const

/**
 * A list of usage as CSV (RFC 4180) with a header. Times are ISO 8601 in UTC. A value that a spreadsheet would take
 * for a formula begins with an apostrophe.
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
