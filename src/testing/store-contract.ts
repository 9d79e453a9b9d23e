import { randomUUID } from 'node:crypto'
import type { Store } from '../store/contract.ts'
import { atomicity } from './store-contract/atomicity.ts'
import { closing } from './store-contract/closing.ts'
import { expiry } from './store-contract/expiry.ts'
import { indexes } from './store-contract/indexes.ts'
import { messages } from './store-contract/messages.ts'
import { values } from './store-contract/values.ts'

export interface StoreContractOptions {
  /**
   * Opens the store under test. Called twice for each case: both must work on the same database, over
   * connections of their own if the adapter opens any. A `volatile` store stands for both. The suite closes
   * what it gets.
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
 * Cases use keys of their own, so they may run at the same time if `elapse` sleeps. They leave some of them
 * behind: give the suite a database that may be thrown away. Timers must be real; only `Date` may be frozen.
 */
export function storeContract({ createStore, elapse }: StoreContractOptions): readonly StoreContractCase[] {
  const promises = [...values, ...atomicity, ...expiry, ...indexes, ...messages, ...closing]
  return promises.map(({ name, check }) => ({
    name,
    async run() {
      const store = await createStore()
      const other = store.volatile ? store : await createStore()
      const unique = randomUUID()
      try {
        await check({
          store,
          other,
          key: (suffix) => `contract:${unique}:${suffix}`,
          elapse: async (seconds) => elapse(seconds),
        })
      } finally {
        await Promise.all([store.close(), other.close()])
      }
    },
  }))
}
