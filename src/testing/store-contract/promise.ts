import { setTimeout as delay } from 'node:timers/promises'
import type { Store } from '../../store/contract.ts'

/** One promise of the `Store` interface, as a sentence, and how to find out whether a store keeps it. */
export interface StorePromise {
  readonly name: string
  readonly check: (stage: Stage) => Promise<void>
}

/** What a check works with. */
export interface Stage {
  readonly store: Store
  /** A second store on the same database, as another process has it. */
  readonly other: Store
  /** A key, index or channel that no other check uses. */
  readonly key: (suffix: string) => string
  /** Lets at least that many seconds pass for the store. */
  readonly elapse: (seconds: number) => Promise<void>
  /** Cuts `store` off from its database; answers what mends it. */
  readonly breakConnection: () => Promise<() => Promise<void>>
}

/** How many calls compete where a promise is about concurrency. */
export const CONCURRENT = 100

/** Both stores in turn, as often as calls compete. */
export function competitors({ store, other }: Stage): Store[] {
  return Array.from({ length: CONCURRENT }, (_, index) => (index % 2 === 0 ? store : other))
}

/** Waits until `assertion` passes, for five seconds at most. */
export async function eventually(assertion: () => void): Promise<void> {
  for (let attempt = 0; attempt < 500; attempt += 1) {
    try {
      assertion()
      return
    } catch {
      await delay(10)
    }
  }
  assertion()
}

/** Milliseconds after which a call counts as one that never settles. */
const NEVER = 5000

/** How a call ends; it may never. */
export async function outcome(call: () => Promise<unknown>): Promise<{
  settled: 'resolved' | 'rejected' | 'thrown' | 'not settled'
  answer?: unknown
  error?: unknown
}> {
  let calling
  try {
    calling = call()
  } catch (error) {
    return { settled: 'thrown', error }
  }
  const waiting = new AbortController()
  const never = delay(NEVER, { settled: 'not settled' } as const, { signal: waiting.signal })
  // Nobody waits any more once the call has settled.
  never.catch(() => {})
  const settling = Promise.resolve(calling).then(
    (answer) => ({ settled: 'resolved', answer }) as const,
    (error: unknown) => ({ settled: 'rejected', error }) as const,
  )
  try {
    return await Promise.race([settling, never])
  } finally {
    waiting.abort()
  }
}
