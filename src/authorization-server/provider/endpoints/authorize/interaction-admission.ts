import type { Logger } from '../../../../host/logger.ts'
import type { MemoryWatch } from '../../../../store/memory-watch.ts'
import { NotNow } from '../../seam/errors.ts'
import { createPendingInteractions } from './pending-interactions.ts'

/** Decides whether one more authorization request may wait for a person: strangers can make as many as they like. */
export interface InteractionAdmission {
  /**
   * Admits a new interaction.
   *
   * @param address who began it
   * @throws {NotNow} 429 if too many of this address wait, 503 if the store is nearly full
   */
  admit(address: string, id: string): void
  /** An interaction was answered, or was not begun after all. */
  release(id: string): void
}

/** Seconds after which a rejected request may be tried again. */
const RETRY_AFTER = 30

/** Milliseconds between two lines of the log about addresses with too many. */
const TELL_EVERY = 60_000

/**
 * @param parts.max interactions of one address that wait at once, in this process; 0 is no limit
 * @param parts.seconds that an interaction waits, as far as it is counted
 */
export function createInteractionAdmission(parts: {
  readonly max: number
  readonly seconds: number
  readonly memory: MemoryWatch
  readonly logger: Logger
}): InteractionAdmission {
  const { max, memory, logger } = parts
  const pending = createPendingInteractions(parts)
  let toldAt = Number.NEGATIVE_INFINITY

  function tell(address: string): void {
    if (performance.now() - toldAt < TELL_EVERY) return
    toldAt = performance.now()
    logger.warn(
      { address, maxPendingInteractions: max },
      'an address has too many authorization requests that wait for a person; if it is the address of your own ' +
        'proxy, set `app.proxy = true`',
    )
  }

  return {
    admit(address, id) {
      if (memory.isNearlyFull()) throw new NotNow(503, 'not available for the moment; try again', RETRY_AFTER)
      if (pending.add(address, id)) return
      tell(address)
      throw new NotNow(
        429,
        'too many sign-ins that were begun from this address are not finished',
        RETRY_AFTER,
      )
    },
    release: pending.remove,
  }
}
