import { createCollection } from '../store/collection.ts'
import type { Store } from '../store/contract.ts'
import { isCount } from '../validation/shape.ts'

/**
 * How long access tokens live at most that were issued on a store, whatever the options said at the time: what was
 * taken back must be remembered for as long, and a key published.
 */
export interface LongestLifetime {
  /**
   * Seconds. Includes what other processes with other options have announced. To be asked once before this process
   * issues tokens, which announces its own.
   *
   * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`, `ERR_STORE_CORRUPT`
   */
  seconds(): Promise<number>
  /** Seconds, as far as this process knows without asking: another one may have announced more since. */
  readonly secondsKnown: number
}

/** Beside the keys, which stay published for as long. */
const COLLECTION = 'signing-keys'
const RECORD = 'longest-lifetime'

/**
 * The record in the store never falls: whoever lowers the option waits for older tokens to expire, and nobody knows
 * when the last process with the old option ended. Each process writes what it finds once, also where it says so
 * already: whoever wrote that may not have been told that it is safe.
 *
 * @param configured seconds that the access tokens of this process live at most
 * @param record where it stands, if it is not about access tokens
 */
export function createLongestLifetime(
  store: Store,
  configured: number,
  record: string = RECORD,
): LongestLifetime {
  const lifetimes = createCollection<{ seconds: number }>(store, {
    name: COLLECTION,
    version: 1,
    fields: { seconds: isCount },
  })
  let known = configured
  /** What this process has written, and was told to be safe. */
  let confirmed: number | undefined

  async function announce(): Promise<number> {
    // Again if a record of others appears, or the store loses the one that was there.
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
