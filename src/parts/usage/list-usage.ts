import { GatehouseError } from '../../errors.ts'
import { addOperations, addTops, type CountedHours } from './call-counts.ts'
import {
  FURTHER_CLIENTS,
  isOutcome,
  isTokenOutcome,
  resultOf,
  TOKEN_REQUEST,
  type Outcome,
  type Result,
} from './outcomes.ts'
import type { StoredDay } from './month-record.ts'
import { startOfDay } from './usage-records.ts'

/** What the rows of a list of usage are separated by. */
export const DIMENSIONS = ['hour', 'day', 'client', 'kind', 'operation', 'result', 'outcome'] as const

/** What the rows of a list of usage are separated by. */
export type Dimension = (typeof DIMENSIONS)[number]

/** A number of calls. It has the fields of the dimensions of the list. */
export interface UsageRow {
  /** The start of the hour or the day (UTC) in epoch seconds, by `hour` or `day`. */
  readonly at?: number | undefined
  /** `further clients`: the calls of those that are not among the 100 busiest of the account. */
  readonly clientId?: string | undefined
  /** `call` for API calls, or `token_request`. */
  readonly kind?: 'call' | 'token_request' | undefined
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
        const kind = operation === TOKEN_REQUEST || isTokenOutcome(outcome) ? 'token_request' : 'call'
        const key = `${start}\n${has['kind'] ? kind : ''}\n${has['operation'] ? operation : ''}\n${result}\n${has['outcome'] ? outcome : ''}`
        const present = rows.get(key)
        if (present) present.count += count
        else if (rows.size < MAX_ROWS) {
          // Hundreds of rows a page: Node 20 takes microseconds for each spread after the first.
          const row: UsageRow & { count: number } = Object.assign(
            {},
            fields,
            has['kind'] && { kind },
            has['operation'] && { operation },
            result !== '' && { result },
            has['outcome'] && { outcome },
            { count },
          )
          rows.set(key, row)
        } else throw new GatehouseError('ERR_INVALID_ARGUMENT', TOO_MANY_ROWS)
      }
    }
  }

  return {
    /** @throws {GatehouseError} `ERR_INVALID_ARGUMENT` if the list has too many rows */
    add(clientId: string | undefined, days: readonly StoredDay[]): void {
      const client = has['client'] && clientId !== undefined && { clientId }
      // Adding up takes much less time than finding the row of each count.
      const byTime = new Map<number | undefined, CountedHours[string][]>()
      for (const { day, hours } of days) {
        const start = startOfDay(day) / 1000
        for (const [hour, operations] of hours) {
          const [at, length] =
            has['day'] || hour === '' ? [start, 86_400] : [start + Number(hour) * 3600, 3600]
          if (at + length <= from || at > to) continue
          const time = has['hour'] || has['day'] ? at : undefined
          const known = byTime.get(time)
          if (known) known.push(operations)
          else byTime.set(time, [operations])
        }
      }
      for (const [at, all] of byTime) add({ ...(at !== undefined && { at }), ...client }, addOperations(all))
    },

    /** Adds clients from the record of their account. @returns false if it may lack some that are wanted */
    addClients(days: readonly StoredDay[], wanted?: readonly string[]): boolean {
      const clients = addTops(days.map(({ busiest }) => busiest))
      if (wanted && Object.hasOwn(clients, FURTHER_CLIENTS)) return false
      for (const [clientId, counts] of Object.entries(clients)) {
        if (!wanted || wanted.includes(clientId)) add(has['client'] ? { clientId } : {}, { '': counts })
      }
      return true
    },

    sorted: (): UsageRow[] =>
      [...rows].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row),
  }
}
