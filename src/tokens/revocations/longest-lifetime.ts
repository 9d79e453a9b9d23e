import { createCollection } from '../../store/collection.ts'
import type { Store } from '../../store/contract.ts'

/**
 * How long access tokens live at most that were issued on a store, whatever the options said at the time: what was
 * taken back must be remembered for as long, and a key published.
 */
export interface LongestLifetime {
  /**
   * Seconds. Includes what other processes with other options have announced.
   *
   * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`
   */
  seconds(): Promise<number>
}

/** Beside the keys, which stay published for as long. */
const COLLECTION = 'signing-keys'
const RECORD = 'longest-lifetime'

/** @param configured seconds that the access tokens of this process live at most */
export function createLongestLifetime(store: Store, configured: number): LongestLifetime {
  const lifetimes = createCollection<{ seconds: number }>(store, { name: COLLECTION, version: 1 })

  return {
    async seconds() {
      // It never falls: whoever lowers the option waits for older tokens to expire, and nobody knows when the last
      // process with the old option ended.
      const raise = ({ seconds }: { seconds: number }) =>
        seconds < configured ? { seconds: configured } : undefined
      const known = await lifetimes.update(RECORD, raise)
      if (known) return known.seconds
      if (await lifetimes.create(RECORD, { seconds: configured })) return configured
      return (await lifetimes.update(RECORD, raise))?.seconds ?? configured
    },
  }
}
