import { GatehouseError } from '../errors.ts'
import type { Logger } from '../host/logger.ts'
import type { Store } from './contract.ts'

/** If at least this share of the memory is used, the memory counts as nearly full. */
const NEARLY_FULL_SHARE = 0.9

/** Minimum milliseconds between two checks. Only calls of `isNearlyFull` start checks. */
const CHECK_INTERVAL_MS = 2000

/**
 * Creates a watch on the memory of a store.
 *
 * @param options.store the store whose `inspect` reports the used share of its memory
 * @param options.logger logs when the memory becomes nearly full, and when it is no longer nearly full
 * @param options.now a monotonic clock, in milliseconds
 */
export function createMemoryWatch(options: {
  readonly store: Pick<Store, 'inspect'>
  readonly logger: Logger
  readonly now?: (() => number) | undefined
}) {
  const { store, logger, now = () => performance.now() } = options
  let isFull = false
  let checkedAt = Number.NEGATIVE_INFINITY

  async function check(): Promise<void> {
    const { usedShare = 0 } = (await store.inspect?.()) ?? {}
    const wasFull = isFull
    isFull = usedShare >= NEARLY_FULL_SHARE
    if (isFull === wasFull) return
    const used = `${Math.floor(usedShare * 100)} % of the memory of the store are used`
    if (isFull) logger.warn({}, `${used}: new sign-ins and authorizations are rejected`)
    else logger.info({}, `${used}: new sign-ins and authorizations are accepted again`)
  }

  const watch = {
    /**
     * Whether the memory was nearly full at the last check. Returns at once. Starts a check in the background if the
     * last check is some seconds old. False if the store does not report its memory.
     */
    isNearlyFull(): boolean {
      if (store.inspect && now() - checkedAt >= CHECK_INTERVAL_MS) {
        checkedAt = now()
        // An unavailable store does not count as full: the request itself calls the store next, and fails there.
        check().catch(() => (isFull = false))
      }
      return isFull
    },
    /**
     * Call this before something is stored that a person can make without end. The rest of the memory is for
     * revocations.
     *
     * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE` if `isNearlyFull`
     */
    requireSpace(): void {
      if (!watch.isNearlyFull()) return
      throw new GatehouseError('ERR_STORE_UNAVAILABLE', 'the memory of the store is nearly full')
    },
  }
  return watch
}

/** Watches how much of a store's memory is used, without delaying requests. */
export type MemoryWatch = ReturnType<typeof createMemoryWatch>
