import { storeClosed, storeUnavailable, type GatehouseError } from '../../src/errors.ts'
import { setUp, type Queries, type SqliteDatabase } from './database.ts'
import { isBusy, storeFailure } from './errors.ts'

interface Call {
  readonly work: () => unknown
  /** Milliseconds on the monotonic clock. */
  readonly calledAt: number
  readonly resolve: (answer: never) => void
  readonly reject: (error: GatehouseError) => void
}

type Together = <T>(work: () => T) => T

/** More calls at once would hold the event loop for too long. */
const MAX_CALLS = 200
/** As long as gatehouse waits for a store by default (`storeTimeoutMs`). */
const BUSY_TIMEOUT_MS = 1000
const MAX_RETRY_PAUSE_MS = 5
const LOCKED = 'another process has locked the SQLite file for too long: it needs shorter transactions'

/** Calls may run more than once: if the file was busy, or if another call of the same transaction failed. */
export function createTransactions(database: SqliteDatabase, queries: Queries) {
  let isSetUp = false
  let isClosed = false
  let failure: { readonly error: unknown; readonly at: number } | undefined

  function transaction<T>(work: () => T): T {
    database.exec('begin immediate')
    try {
      const answer = work()
      database.exec('commit')
      return answer
    } catch (error) {
      failure = { error, at: performance.now() }
      try {
        database.exec('rollback')
      } catch {
        // If the disk is full, SQLite has rolled back already.
      }
      throw error
    }
  }

  /** Runs calls at once. @returns those that found the file busy */
  function run(calls: readonly Call[], together: Together): readonly Call[] {
    try {
      if (isClosed) throw storeClosed('SQLite')
      if (!isSetUp) setUp(database, queries, transaction)
      isSetUp = true
      const answers = together(() => calls.map(({ work }) => work()))
      calls.forEach(({ resolve }, at) => resolve(answers[at] as never))
    } catch (error) {
      if (isBusy(error)) return calls
      // The failure of one call must not affect the others.
      if (calls.length > 1) return calls.flatMap((call) => run([call], together))
      calls[0]?.reject(storeFailure(error))
    }
    return []
  }

  function createQueue(together: Together) {
    let waiting: Call[] = []
    let isActive = false

    function runWaiting(): void {
      isActive = waiting.length > 0
      if (!isActive) return
      const startedAt = performance.now()
      const busy = run(waiting.splice(0, MAX_CALLS), together)
      const endedAt = performance.now()
      const isLate = ({ calledAt }: Call) => endedAt - calledAt > BUSY_TIMEOUT_MS
      for (const { reject } of busy.filter(isLate)) {
        reject(storeUnavailable(LOCKED))
      }
      waiting = [...busy.filter((call) => !isLate(call)), ...waiting]
      // After a transaction the file stays free for a while. Otherwise other processes would rarely find it free.
      const pause = busy.length > 0 ? Math.random() * MAX_RETRY_PAUSE_MS : (endedAt - startedAt) / 4
      if (pause < 0.5) setImmediate(runWaiting)
      else setTimeout(runWaiting, pause)
    }

    return <T>(work: () => T) =>
      new Promise<T>((resolve, reject) => {
        waiting.push({ work, calledAt: performance.now(), resolve, reject })
        if (!isActive) setImmediate(runWaiting)
        isActive = true
      })
  }

  return {
    read: createQueue((work) => work()),
    /** The writes of one turn of the event loop share a transaction, so they wait for the disk once. */
    write: createQueue(transaction),
    /** Why a write failed within the last minute. On a full disk, small writes may still succeed. */
    writeFailure: () => (failure && performance.now() - failure.at < 60_000 ? failure.error : undefined),
    close: () => void (isClosed = true),
  }
}

export type Transactions = ReturnType<typeof createTransactions>
