import { setTimeout as delay } from 'node:timers/promises'
import type { Store } from '../../store/contract.ts'

/** Proves that a store keeps one promise. Rejects with an AssertionError if it does not. */
export type Check = (stage: Stage) => Promise<void>

/** Promises of the `Store` interface: each is a sentence, with its check. */
export type StorePromises = Readonly<Record<string, Check>>

export interface Stage {
  readonly store: Store
  /** A second store on the same database, as in another process. */
  readonly other: Store
  /** The name of a key, index or channel that no other check uses. */
  readonly key: (suffix: string) => string
  readonly elapse: (seconds: number) => Promise<void>
  /** Disconnects `store` from its database. Returns a function that connects it again. */
  readonly breakConnection: () => Promise<() => Promise<void>>
  /** Stops the replication of the database. Returns a function that starts it again. */
  readonly stopReplication: () => Promise<() => Promise<void>>
}

export const CONCURRENT = 100

/** One store for each concurrent call: the two stores of the stage alternately. */
export function competitors({ store, other }: Stage): Store[] {
  return Array.from({ length: CONCURRENT }, (_, index) => (index % 2 === 0 ? store : other))
}

/** Waits until `assertion` passes, at most five seconds. */
export async function eventually(assertion: () => void | Promise<void>): Promise<void> {
  for (const deadline = performance.now() + 5000; performance.now() < deadline;) {
    try {
      await assertion()
      return
    } catch {
      await delay(10)
    }
  }
  await assertion()
}

/** Milliseconds after which a call counts as never settling. */
const SETTLE_TIMEOUT_MS = 5000

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
  const never = delay(SETTLE_TIMEOUT_MS, { settled: 'not settled' } as const, { signal: waiting.signal })
  // The timer rejects when it is aborted after the call has settled. This rejection is ignored.
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
