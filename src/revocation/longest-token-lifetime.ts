import { createCollection } from '../store/collection.ts'
import type { Store } from '../store/contract.ts'
import { countRule } from '../validation/rules.ts'

/**
 * The longest lifetime of the access tokens that were issued on a store, whatever the options were at that
 * time. A
 * revocation must be kept for as long, and a key must be published for as long.
 */
export interface LongestLifetime {
  /**
   * Seconds, including what other processes with other options have announced. This process announces its own
   * lifetime
   * with the call, so call it once before it issues tokens.
   *
   * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`, `ERR_STORE_CORRUPT`
   */
  seconds(): Promise<number>
  /** Seconds, as far as this process knows without I/O. Another process may have announced more since. */
  readonly secondsKnown: number
}

/** The collection of the keys, which stay published for as long. */
const COLLECTION = 'signing-keys'
const RECORD = 'longest-lifetime'

/**
 * The value in the store never decreases. After the option is lowered, older tokens must still expire, and no
 * process
 * can know when the last process with the old option stopped. Each process rewrites the value that it finds
 * once, even
 * if the value is right: the previous write may not have been confirmed as durable.
 *
 * @param configured the longest lifetime, in seconds, of the access tokens of this process
 * @param record the id of the record, if it is not about access tokens
 */
export function createLongestLifetime(
  store: Store,
  configured: number,
  record: string = RECORD,
): LongestLifetime {
  const lifetimes = createCollection<{ seconds: number }>(store, {
    name: COLLECTION,
    version: 1,
    fields: { seconds: countRule },
  })
  let known = configured
  /** The value that this process has written, and whose write was confirmed as durable. */
  let confirmed: number | undefined

  async function announce(): Promise<number> {
    // Tries again if another process creates the record, or the store loses it.
    for (;;) {
      const stored = await lifetimes.update(record, ({ seconds }) =>
        seconds === confirmed && seconds >= known ? undefined : { seconds: Math.max(seconds, known) },
      )
      if (stored) return stored.seconds
      if (await lifetimes.create(record, { seconds: known })) return known
    }
  }

  return {
    async seconds() {
      const announced = await announce()
      known = Math.max(known, announced)
      confirmed = announced
      return known
    },
    get secondsKnown() {
      return known
    },
  }
}
