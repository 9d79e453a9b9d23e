import type { Logger } from '../../../../host/logger.ts'
import type { MemoryWatch } from '../../../../store/memory-watch.ts'
import { NotNow } from '../../seam/errors.ts'

/** The option `maxPendingInteractions`; 0 means no limit. */
export const PENDING_INTERACTIONS = { byDefault: 1000, min: 0, max: 1_000_000 }

const RETRY_AFTER_SECONDS = 30

const LOG_INTERVAL_MS = 60_000

/** Each further interaction replaces the oldest. All entries together take less than 20 MB. */
const MAX_COUNTED = 50_000

/** Limits the interactions that an address starts in this process (429), because strangers can start them. */
export function createPendingInteractions(parts: {
  readonly max: number
  readonly seconds: number
  readonly memory: Pick<MemoryWatch, 'isNearlyFull'>
  readonly logger: Logger
}) {
  const { max, seconds, memory, logger } = parts
  const pending = new Map<string, { readonly address: string; readonly until: number }>()
  const counts = new Map<string, number>()
  let loggedAt = Number.NEGATIVE_INFINITY

  function logRejection(address: string): void {
    if (performance.now() - loggedAt < LOG_INTERVAL_MS) return
    loggedAt = performance.now()
    logger.warn(
      { address, maxPendingInteractions: max },
      'an address has too many authorization requests that wait for a person; if it is the address of your own ' +
        'proxy, set `app.proxy = true`',
    )
  }

  function release(id: string): void {
    const entry = pending.get(id)
    if (!entry) return
    pending.delete(id)
    const left = (counts.get(entry.address) ?? 0) - 1
    if (left > 0) counts.set(entry.address, left)
    else counts.delete(entry.address)
  }

  return {
    release,
    /** @throws {NotNow} 429 if too many of this address already wait, 503 if the store is nearly full */
    admit(address: string, id: string): void {
      if (memory.isNearlyFull()) {
        throw new NotNow(503, 'not available for the moment; try again', RETRY_AFTER_SECONDS)
      }
      if (max === 0) return
      for (const [oldest, { until }] of pending) {
        if (until > performance.now()) break
        release(oldest)
      }
      const count = counts.get(address) ?? 0
      if (count >= max) {
        logRejection(address)
        const description = 'too many unfinished sign-ins were started from this address'
        throw new NotNow(429, description, RETRY_AFTER_SECONDS)
      }
      const [oldest] = pending.size < MAX_COUNTED ? [] : pending.keys()
      if (oldest !== undefined) release(oldest)
      pending.set(id, { address, until: performance.now() + seconds * 1000 })
      counts.set(address, count + 1)
    },
  }
}

export type PendingInteractions = ReturnType<typeof createPendingInteractions>
