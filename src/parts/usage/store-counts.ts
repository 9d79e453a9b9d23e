import { periodically } from '../../async/periodically.ts'
import type { Logger } from '../../host/logger.ts'
import type { CallCounts, CountedDay } from './call-counts.ts'

export const BATCH = 100
export const INTERVAL_SECONDS = 10

/**
 * Stores the counts of this process every few seconds, and at its end. While that fails, the process counts on: they
 * are totals, so nothing is lost or doubled. `run` and `end` never reject.
 */
export function storePeriodically(parts: {
  readonly counts: Pick<CallCounts, 'changed' | 'calls'>
  /** `isLast` in the last call of a run. It is called also if nothing has changed. */
  readonly send: (totals: readonly CountedDay[], isLast: boolean) => Promise<void>
  readonly intervalMs: number
  readonly logger: Logger
}) {
  const { counts, send, intervalMs, logger } = parts
  let failure: string | undefined
  let isEnding = false
  /** The calls that were counted before the last complete write. */
  let stored = 0
  let running: Promise<void> | undefined

  /** Concurrent calls share one run. */
  const run = () => (running ??= storeAll().finally(() => (running = undefined)))

  async function storeAll(): Promise<void> {
    const calls = counts.calls()
    const changed = counts.changed()
    for (let at = 0; at === 0 || at < changed.length; at += BATCH) {
      const batch = changed.slice(at, at + BATCH)
      try {
        const totals = batch.map((each) => each.take())
        await send(totals, at + BATCH >= changed.length)
        for (const each of batch) each.stored()
      } catch (error) {
        for (const each of batch) each.putBack()
        const reason = error instanceof Error ? error.message : String(error)
        if (isEnding) {
          logger.warn({ err: error, lost: calls - stored }, 'the last calls could not be stored in the usage')
        } else if (reason !== failure) {
          logger.warn({ err: error }, 'usage could not be stored; it is counted on, and stored later')
        }
        failure = reason
        return
      }
    }
    if (failure !== undefined) logger.info({}, 'usage is stored again')
    failure = undefined
    stored = calls
  }

  const stop = periodically(run, intervalMs)
  return {
    run,
    async end() {
      stop()
      await running
      isEnding = true
      await run()
    },
  }
}
