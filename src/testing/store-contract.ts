import { randomUUID } from 'node:crypto'
import type { Store } from '../store/contract.ts'
import { atomicity } from './store-contract/atomicity.ts'
import { closing } from './store-contract/closing.ts'
import { description } from './store-contract/description.ts'
import { expiry } from './store-contract/expiry.ts'
import { failures } from './store-contract/failures.ts'
import { indexes } from './store-contract/indexes.ts'
import { messages } from './store-contract/messages.ts'
import type { Stage, StorePromise } from './store-contract/promise.ts'
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
  /**
   * Cuts a store that `createStore` made off from its database, so that calls fail within five seconds: closes its
   * connections and lets no new one be opened, or makes its driver fail. Other stores stay connected. With it there are further
   * cases, which prove that a store without its database never answers that nothing is there.
   *
   * @returns what mends it
   */
  readonly breakConnection?: ((store: Store) => Mend | Promise<Mend>) | undefined
}

type Mend = () => void | Promise<void>

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
 * nothing of anybody else, and cases may run at the same time if `elapse` sleeps; all together then take a few
 * seconds. What a case has written it takes away at its end, unless it is ended from outside. Timers must be real;
 * only `Date` may be frozen.
 *
 * What a store promises, its `durable` view promises too: where there is one, a case works on both at the same
 * time, and tells through which of them it failed.
 */
export function storeContract(options: StoreContractOptions): readonly StoreContractCase[] {
  const { createStore, elapse, breakConnection } = options

  async function tidyUp(traces: Traces): Promise<void> {
    const store = await createStore()
    try {
      await traces.remove(store)
    } finally {
      await store.close()
    }
  }

  function asCase({ name, check }: StorePromise, views: (store: Store) => Partial<Record<string, Store>>) {
    async function run(): Promise<void> {
      const traces = createTraces()
      const opened = await createStore()
      const store = traces.watch(opened)
      const other = store.volatile ? store : traces.watch(await createStore())
      const checks = Object.entries(views(store)).map(async ([through, view]) => {
        if (!view) return
        await telling(through, check(setStage(view)))
      })
      function setStage(view: Store): Stage {
        const unique = randomUUID()
        return {
          store: view,
          other,
          key: (suffix) => `contract:${unique}:${suffix}`,
          elapse: async (seconds) => elapse(seconds),
          async breakConnection() {
            const mend = await breakConnection?.(opened)
            return async () => mend?.()
          },
        }
      }
      const outcomes = await Promise.allSettled(checks)
      const failure = outcomes.find((outcome) => outcome.status === 'rejected')
      await Promise.all([store.close(), other.close()])
      const tidied = store.volatile ? undefined : tidyUp(traces)
      // What is broken must not hide behind an error of tidying up.
      await (failure ? tidied?.catch(() => {}) : tidied)
      if (failure) throw failure.reason
    }
    return { name, run }
  }

  return [
    ...[...values, ...atomicity, ...expiry, ...indexes, ...messages].map((promise) =>
      asCase(promise, (store) => ({ store, durable: store.durable })),
    ),
    ...[...description, ...closing, ...(breakConnection ? failures : [])].map((promise) =>
      asCase(promise, (store) => ({ store })),
    ),
  ]
}

/** Says through which view of a store a check has failed, where it is not the store itself. */
async function telling(through: string, checking: Promise<void>): Promise<void> {
  try {
    await checking
  } catch (error) {
    if (through !== 'store' && error instanceof Error) error.message = `through ${through}: ${error.message}`
    throw error
  }
}
