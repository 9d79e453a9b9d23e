import { periodically } from '../async/periodically.ts'
import type { Logger } from '../host/logger.ts'
import type { CallCounts, CountedDay } from './call-counts.ts'

/** The totals that are stored at the same time. */
export const BATCH = 100

/**
 * Stores the counts of this process every few seconds. While they cannot be stored, the process counts on, and stores
 * them later: they are totals, so nothing is lost or doubled.
 *
 * @param send stores totals, for example in the store
 * @returns `run` stores the counts at once; `end` stores the last counts, and stops. They never reject
 */
export function storePeriodically({
  counts,
  send,
  intervalMs,
  logger,
}: {
  readonly counts: Pick<CallCounts, 'changed'>
  readonly send: (totals: readonly CountedDay[]) => Promise<void>
  readonly intervalMs: number
  readonly logger: Logger
}) {
  let hasFailed = false
  let running: Promise<void> | undefined

  /** Stores all counts that have changed. Concurrent calls share one run. */
  const run = () => (running ??= storeAll().finally(() => (running = undefined)))

  async function storeAll(): Promise<void> {
    const changed = counts.changed()
    for (let at = 0; at < changed.length; at += BATCH) {
      const batch = changed.slice(at, at + BATCH)
      try {
        await send(batch.map((each) => each.take()))
      } catch (error) {
        for (const each of batch) each.putBack()
        if (!hasFailed) {
          logger.warn({ err: error }, 'usage could not be stored; it is counted on, and stored later')
        }
        hasFailed = true
        return
      }
    }
    if (hasFailed) logger.info({}, 'usage is stored again')
    hasFailed = false
  }

  const stop = periodically(run, intervalMs)
  return {
    run,
    async end() {
      stop()
      await running
      await run()
    },
  }
}
