import { confirmDurable, createCollection } from '../store/collection.ts'
import type { Store } from '../store/contract.ts'
import { countRule } from '../validation/rules.ts'

/**
 * Stores the longest token lifetime of all processes, in seconds. Each process writes the value once, to confirm that
 * it is durable. It never decreases: no process knows when those with older options have stopped.
 */
export function createLongestLifetime(store: Store, configured: number, record: string = 'longest-lifetime') {
  const lifetimes = createCollection<{ seconds: number }>(store, {
    // Signing keys stay published for this lifetime.
    name: 'signing-keys',
    version: 1,
    fields: { seconds: countRule },
  })
  let known = configured
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

/** Revocations are kept, and keys stay published, for the longest lifetime of any token. */
export type LongestLifetime = ReturnType<typeof createLongestLifetime>
