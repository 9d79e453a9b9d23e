import { randomUUID } from 'node:crypto'
import type { Store } from '../store/contract.ts'
import { atomicity } from './store-contract/atomicity.ts'
import { closing } from './store-contract/closing.ts'
import { expiry } from './store-contract/expiry.ts'
import { indexes } from './store-contract/indexes.ts'
import { messages } from './store-contract/messages.ts'
import { createTraces, type Traces } from './store-contract/traces.ts'
import { values } from './store-contract/values.ts'

/** What `storeContract` takes. */
export interface StoreContractOptions {
  /**
   * Opens the store under test. Called up to three times for each case: all must work on the same database,
   * over connections of their own if the adapter opens any. A `volatile` store stands for all of them. The
   * suite closes what it gets.
   */
  readonly createStore: () => Store | Promise<Store>
  /** Lets at least that many seconds pass for the store: sleeps a little longer, or sets a frozen clock forward. */
  readonly elapse: (seconds: number) => void | Promise<void>
}

/** One promise of the `Store` interface; `run` rejects with an AssertionError if the store does not keep it. */
export interface StoreContractCase {
  readonly name: string
  readonly run: () => Promise<void>
}

/**
 * The proof that an adapter keeps every promise of the `Store` interface. It stands on node:assert alone, so
 * that any test runner can run it:
 *
 * ```ts
 * const cases = storeContract({
 *   createStore: () => myStore(client),
 *   elapse: (seconds) => setTimeout(seconds * 1000 + 50),   // from node:timers/promises
 * })
 * for (const { name, run } of cases) test(name, run)
 * ```
 *
 * Every key, index and channel that a case writes to begins with `contract:` and a random id, so that it meets
 * nothing of anybody else, and cases may run at the same time if `elapse` sleeps. What a case has written it
 * takes away at its end, unless it is ended from outside. Timers must be real; only `Date` may be frozen.
 */
export function storeContract({ createStore, elapse }: StoreContractOptions): readonly StoreContractCase[] {
  async function tidyUp(traces: Traces): Promise<void> {
    const store = await createStore()
    try {
      await traces.remove(store)
    } finally {
      await store.close()
    }
  }

  const promises = [...values, ...atomicity, ...expiry, ...indexes, ...messages, ...closing]
  return promises.map(({ name, check }) => ({
    name,
    async run() {
      const traces = createTraces()
      const store = traces.watch(await createStore())
      const other = store.volatile ? store : traces.watch(await createStore())
      const unique = randomUUID()
      let passed = false
      try {
        await check({
          store,
          other,
          key: (suffix) => `contract:${unique}:${suffix}`,
          elapse: async (seconds) => elapse(seconds),
        })
        passed = true
      } finally {
        await Promise.all([store.close(), other.close()])
        const tidied = store.volatile ? undefined : tidyUp(traces)
        // What is broken must not hide behind an error of tidying up.
        await (passed ? tidied : tidied?.catch(() => {}))
      }
    },
  }))
}
