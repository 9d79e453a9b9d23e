import { createCollection } from '../store/collection.ts'
import { confirmDurable } from '../store/confirm-durable.ts'
import type { Store } from '../store/contract.ts'
import { countRule } from '../validation/rules.ts'

/**
 * Stores the longest token lifetime of all processes. The stored value never decreases. After an operator
 * lowers the lifetime in the options, older tokens stay valid for the old lifetime. No process can know when
 * the last process with the old options stopped. Each process writes the value once, to confirm that it is
 * durable.
 *
 * @param configured the longest lifetime, in seconds, of the access tokens of this process
 * @param record the id of the record; set it for tokens other than access tokens
 */
export function createLongestLifetime(store: Store, configured: number, record: string = 'longest-lifetime') {
  const lifetimes = createCollection<{ seconds: number }>(store, {
    // The record is stored under the name of the signing keys, because signing keys stay published for this
    // lifetime.
    name: 'signing-keys',
    version: 1,
    fields: { seconds: countRule },
  })
  let known = configured
  /**
   * The stored value that a write of this process last confirmed as durable; undefined before the first
   * write.
   */
  let confirmed: number | undefined

  async function announce(): Promise<number> {
    // Tries again if another process creates the record in between, or if the store loses the record.
    for (;;) {
      const stored = await lifetimes.update(record, (found) => {
        if (found.seconds < known) return { seconds: known }
        return found.seconds === confirmed ? undefined : confirmDurable(found)
      })
      if (stored) return stored.seconds
      if (await lifetimes.create(record, { seconds: known })) return known
    }
  }

  return {
    /**
     * The longest lifetime in seconds that any process has announced. The call first announces the lifetime
     * of this process, so call it before this process issues tokens.
     *
     * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`, `ERR_STORE_CORRUPT`
     */
    async seconds(): Promise<number> {
      const announced = await announce()
      known = Math.max(known, announced)
      confirmed = announced
      return known
    },
    /**
     * The longest lifetime in seconds that this process knows, without I/O. Another process may have
     * announced a longer lifetime since.
     */
    get secondsKnown(): number {
      return known
    },
  }
}

/**
 * The longest lifetime of the tokens that any process on this store issues or has issued, under any options.
 * Revocations must be kept for this time, and keys must stay published for this time.
 */
export type LongestLifetime = ReturnType<typeof createLongestLifetime>
