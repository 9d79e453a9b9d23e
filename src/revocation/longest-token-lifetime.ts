import { confirmDurable, createCollection } from '../store/collection.ts'
import type { Store } from '../store/contract.ts'
import { countRule } from '../validation/rules.ts'

/**
 * Stores the longest token lifetime of all processes, in seconds. Each process writes the value once, to
 * confirm that it is durable. The stored value never decreases. After an operator lowers the lifetime in the
 * options, processes with the old options may still issue tokens with the old lifetime. No process knows when
 * these processes have stopped.
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
  /** The stored value that a write of this process last confirmed as durable. */
  let confirmed: number | undefined

  async function announce(): Promise<number> {
    const stored = await lifetimes.put(record, (found) => {
      if (!found || found.seconds < known) return { seconds: known }
      return found.seconds === confirmed ? undefined : confirmDurable(found)
    })
    return stored?.seconds ?? known
  }

  return {
    /** Call this before tokens are issued: it first stores `configured` if it is longer. */
    async seconds(): Promise<number> {
      const announced = await announce()
      known = Math.max(known, announced)
      confirmed = announced
      return known
    },
    /** The longest token lifetime that this process knows: another may have stored a longer one. */
    get secondsKnown(): number {
      return known
    },
  }
}

/**
 * The longest lifetime of the tokens that any process on this store has ever issued. For this time,
 * revocations are kept, and keys stay published.
 */
export type LongestLifetime = ReturnType<typeof createLongestLifetime>
