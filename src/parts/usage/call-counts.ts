import { randomBytes } from 'node:crypto'
import { FURTHER_CLIENTS, FURTHER_OPERATIONS, OUTCOMES, type Outcome } from './outcomes.ts'

/** The calls of further clients are in the totals only. */
const MAX_CLIENTS = 50_000
/** Operations in an hour of one client, and of all. Further ones are `FURTHER_OPERATIONS`. */
export const MAX_OPERATIONS = 1000
/** The most characters of the past hours of one block. The operations of further hours are `FURTHER_OPERATIONS`. */
const MAX_PAST = 600_000
/** The hours that one source counts. A source is written as a whole, so a long block would cost many bytes a write. */
const BLOCK_HOURS = 6
/** The most earlier blocks whose last counts wait for the store. The oldest is dropped. */
const MAX_EARLIER = 32
export const TOP_CLIENTS = 100

const HOUR_MS = 3_600_000
const INDEXES = Object.fromEntries(OUTCOMES.map((outcome, at) => [outcome, at])) as Record<Outcome, number>

/** An outcome without calls is absent. */
export type Counts = { readonly [outcome in Outcome]?: number }

/** The counts of a day: by hour (0 to 23, UTC), then by operation. */
export type CountedHours = Readonly<Record<string, Readonly<Record<string, Counts>>>>

type Sum = Record<string, number>

function add(sum: Sum, outcome: string, count: number): void {
  sum[outcome] = Math.min((sum[outcome] ?? 0) + count, Number.MAX_SAFE_INTEGER)
}

function sumOf(sums: Map<string, Sum>, name: string): Sum {
  let sum = sums.get(name)
  if (!sum) sums.set(name, (sum = {}))
  return sum
}

export function addOperations(all: readonly CountedHours[string][]): Record<string, Counts> {
  const sums = new Map<string, Sum>()
  for (const each of all) {
    for (const operation in each) {
      const [sum, counts] = [sumOf(sums, operation), each[operation] as Sum]
      for (const outcome in counts) add(sum, outcome, counts[outcome] ?? 0)
    }
  }
  return Object.fromEntries(sums)
}

/**
 * What became of the calls of the busiest clients. The rest is that of `FURTHER_CLIENTS`. In the totals of all calls, a
 * client has one number.
 */
export type Top = Readonly<Record<string, Counts | number>>

/** How it is stored: the numbers of each outcome, in the order of the clients. A page reads thousands of these numbers. */
export interface Columns {
  readonly clients: readonly string[]
  readonly counts: Readonly<Record<string, readonly number[]>>
}

export function columnsOf(top: Top): Columns {
  const rows = Object.values(top).map((of): Sum => (typeof of === 'number' ? { ok: of } : { ...of }))
  const outcomes = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const columns = outcomes.map((outcome) => [outcome, rows.map((row) => row[outcome] ?? 0)])
  return { clients: Object.keys(top), counts: Object.fromEntries(columns) }
}

export function addTops(tops: readonly (Columns | undefined)[]): Record<string, Counts> {
  const sums = new Map<string, Sum>()
  for (const { clients, counts } of tops.filter((each) => each !== undefined)) {
    const rows = clients.map((client) => sumOf(sums, client))
    for (const outcome in counts)
      counts[outcome]?.forEach((count, at) => count > 0 && add(rows[at] ?? {}, outcome, count))
  }
  const orderOf = ([client, sum]: [string, Sum]) => (client === FURTHER_CLIENTS ? -1 : callsIn(sum))
  const sorted = [...sums].toSorted((one, other) => orderOf(other) - orderOf(one))
  const rest = addOperations(sorted.splice(TOP_CLIENTS).map(([, counts]) => ({ [FURTHER_CLIENTS]: counts })))
  return { ...Object.fromEntries(sorted), ...rest }
}

export const callsIn = (counts: Counts): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0)

/** What one source has counted on one day for a client, an account or all. The counts are totals, not differences. */
export interface CountedDay {
  /** In UTC, as `2026-07-01`. */
  readonly day: string
  /** Who counted: a random id. The totals of one source and one day only grow. */
  readonly source: string
  /** Undefined for the totals of all calls; `subjectOfAccount()` for those of an account. */
  readonly clientId: string | undefined
  /** Whether the source must be added to the lists: in its first write, and once an hour. */
  readonly isFirst: boolean
  /** The JSON text of `CountedHours`. */
  readonly hours: string
  /** With the totals of all calls, or of an account: the clients with the most calls. */
  readonly top?: Top | undefined
}

class Totals {
  /** The past hours as JSON, so that they need little memory. */
  #past: string[] = []
  #pastLength = 0
  #hour = -1
  #operations = new Map<string, Float64Array>()
  calls = 0

  /** @param outcome undefined to record only that the operation was called */
  add(hour: number, operation: string, outcome: number | undefined): void {
    if (hour !== this.#hour) this.#begin(hour)
    let counts = this.#operations.get(operation)
    if (counts === undefined) {
      const isFull = this.#operations.size >= MAX_OPERATIONS || this.#pastLength > MAX_PAST
      const name = isFull ? FURTHER_OPERATIONS : operation
      counts = this.#operations.get(name) ?? new Float64Array(OUTCOMES.length)
      this.#operations.set(name, counts)
    }
    if (outcome === undefined) return
    counts[outcome] = (counts[outcome] ?? 0) + 1
    this.calls += 1
  }

  #begin(hour: number): void {
    if (this.#operations.size > 0) {
      const text = this.#hourText()
      this.#past.push(text)
      this.#pastLength += text.length
    }
    this.#hour = hour
    this.#operations = new Map()
  }

  #hourText(): string {
    const operations = [...this.#operations].map(([name, counts]) => {
      const counted = OUTCOMES.flatMap((outcome, at) => (counts[at] ? [`"${outcome}":${counts[at]}`] : []))
      return `${JSON.stringify(name)}:{${counted.join(',')}}`
    })
    return `"${this.#hour}":{${operations.join(',')}}`
  }

  toText(): string {
    return `{${[...this.#past, this.#hourText()].join(',')}}`
  }
}

/** Some hours of a day. Its source is new, so that what other processes and earlier blocks have stored stays. */
class Block {
  readonly source = randomBytes(12).toString('base64url')
  readonly all = new Totals()
  readonly clients = new Map<string, Totals>()
  /** The clients whose counts have changed since they were taken; undefined for the totals. */
  readonly changed = new Set<string | undefined>()
  /** The clients whose counts were taken in this hour; undefined for the totals. */
  readonly taken = new Set<string | undefined>()
  /** The clients whose last write may still be applied late. Their counts are written once more. */
  readonly unclear = new Set<string | undefined>()
  readonly day: string

  constructor(day: string) {
    this.day = day
  }

  add(clientId: string | undefined, hour: number, operation: string, outcome: number | undefined): void {
    this.all.add(hour, operation, outcome)
    this.changed.add(undefined)
    if (clientId === undefined) return
    let own = this.clients.get(clientId)
    if (own === undefined) {
      if (this.clients.size === MAX_CLIENTS) return this.all.add(hour, FURTHER_CLIENTS, undefined)
      own = new Totals()
      this.clients.set(clientId, own)
    }
    own.add(hour, operation, outcome)
    this.changed.add(clientId)
  }

  read(clientId: string | undefined): CountedDay {
    const totals = clientId === undefined ? this.all : this.clients.get(clientId)
    return {
      day: this.day,
      source: this.source,
      clientId,
      isFirst: !this.taken.has(clientId),
      hours: totals?.toText() ?? '{}',
      top: clientId === undefined ? this.#top() : undefined,
    }
  }

  #top(): Record<string, number> {
    const calls = [...this.clients].map(([clientId, totals]) => [clientId, totals.calls] as const)
    return Object.fromEntries(calls.toSorted(([, one], [, other]) => other - one).slice(0, TOP_CLIENTS))
  }
}

/** Counts calls in memory, which is bounded by the numbers of clients and operations. */
export function createCallCounts(now: () => number) {
  let block = new Block('')
  /** The hour since the epoch that is counted now, and the hour of its day. */
  let hours = -1
  let hourOfDay = 0
  let earlier: Block[] = []
  let calls = 0

  /** After a clock was set back, a new source begins, because a source never returns to an hour. */
  function begin(next: number): void {
    if (Math.floor(next / BLOCK_HOURS) !== Math.floor(hours / BLOCK_HOURS) || next < hours) {
      if (block.changed.size > 0) earlier = [...earlier, block].slice(-MAX_EARLIER)
      block = new Block(new Date(next * HOUR_MS).toISOString().slice(0, 10))
    }
    // The entries of the lists are written again each hour, because a failover may have lost them.
    block.taken.clear()
    hours = next
    hourOfDay = next % 24
  }

  function add(clientId: string | undefined, operation: string, outcome: Outcome | undefined): void {
    const next = Math.floor(now() / HOUR_MS)
    if (next !== hours) begin(next)
    block.add(clientId, hourOfDay, operation, outcome && INDEXES[outcome])
  }

  return {
    /** `operation` is a scope; `clientId` is undefined if the client is not known. */
    count(clientId: string | undefined, operation: string, outcome: Outcome): void {
      calls += 1
      add(clientId, operation, outcome)
    },

    /** Records that a call needed another operation too, without counting the call again. */
    note: (clientId: string, operation: string) => add(clientId, operation, undefined),

    calls: () => calls,

    /** `take` returns the present totals, which then count as unchanged. */
    changed() {
      earlier = earlier.filter(({ changed }) => changed.size > 0)
      return [...earlier, block].flatMap((each) =>
        [...each.changed].map((clientId) => changeOf(each, clientId)),
      )
    },
  }

  function changeOf(each: Block, clientId: string | undefined) {
    let isFirst = false
    return {
      take(): CountedDay {
        const totals = each.read(clientId)
        isFirst = totals.isFirst
        each.changed.delete(clientId)
        each.taken.add(clientId)
        return totals
      },
      /** Counts again what could not be stored, or may not have been stored. */
      putBack() {
        each.changed.add(clientId)
        each.unclear.add(clientId)
        if (isFirst) each.taken.delete(clientId)
      },
      stored() {
        if (each.unclear.delete(clientId)) each.changed.add(clientId)
      },
    }
  }
}

export type CallCounts = ReturnType<typeof createCallCounts>
