import type { Logger } from '../host/logger.ts'
import type { Store } from './contract.ts'

/** Knows whether the memory of a store is nearly used up, without asking on anybody's way. */
export interface MemoryWatch {
  /**
   * Whether so much was used when it was looked at last. Returns at once; where that was some seconds ago, it looks
   * again in the background. False where the store does not tell.
   */
  isNearlyFull(): boolean
}

/** Share of the memory from which on it counts as nearly used up. */
const NEARLY_FULL = 0.9

/** Milliseconds between two looks at least. Nobody looks while nobody asks. */
const LOOK_EVERY = 2000

/**
 * @param parts.store `inspect` tells how much is used
 * @param parts.logger told when it is nearly full, and when it is not any more
 * @param parts.now milliseconds of a clock that nobody puts back
 */
export function createMemoryWatch(parts: {
  readonly store: Pick<Store, 'inspect'>
  readonly logger: Logger
  readonly now?: (() => number) | undefined
}): MemoryWatch {
  const { store, logger, now = () => performance.now() } = parts
  let isFull = false
  let lookedAt = Number.NEGATIVE_INFINITY

  async function look(): Promise<void> {
    const { usedShare = 0 } = (await store.inspect?.()) ?? {}
    const wasFull = isFull
    isFull = usedShare >= NEARLY_FULL
    if (isFull === wasFull) return
    const used = `${Math.floor(usedShare * 100)} % of the memory of the store are used`
    if (isFull) logger.warn({}, `${used}: new authorization requests that need a person are rejected`)
    else logger.info({}, `${used}: new authorization requests are accepted again`)
  }

  return {
    isNearlyFull() {
      if (store.inspect && now() - lookedAt >= LOOK_EVERY) {
        lookedAt = now()
        // A store that does not answer is no full one; what asked goes to the store itself, and learns it there.
        look().catch(() => (isFull = false))
      }
      return isFull
    },
  }
}
