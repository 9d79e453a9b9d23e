import { storeUnavailable } from '../errors.ts'
import type { Logger } from '../host/logger.ts'
import type { Store } from './contract.ts'

const NEARLY_FULL_SHARE = 0.9

/** Between two checks, which only calls of `isNearlyFull` start. */
const CHECK_INTERVAL_MS = 2000

/** Notices when the memory of a store becomes nearly full: new sign-ins and authorizations are then rejected. */
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
    /** At the last check. A call may start another check in the background. */
    isNearlyFull(): boolean {
      if (store.inspect && now() - checkedAt >= CHECK_INTERVAL_MS) {
        checkedAt = now()
        // An unavailable store does not count as full: the request itself calls the store next, and fails there.
        check().catch(() => (isFull = false))
      }
      return isFull
    },
    /**
     * Call this before something is stored that a person can make without end: the rest of the memory is for
     * revocations. @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`
     */
    requireSpace(): void {
      if (!watch.isNearlyFull()) return
      throw storeUnavailable('the memory of the store is nearly full')
    },
  }
  return watch
}

export type MemoryWatch = ReturnType<typeof createMemoryWatch>
