import { randomUUID } from 'node:crypto'
import type { Store } from '../store/contract.ts'
import { atomicity } from './store-contract/atomicity.ts'
import { closing } from './store-contract/closing.ts'
import { counters } from './store-contract/counters.ts'
import { description } from './store-contract/description.ts'
import { durability } from './store-contract/durability.ts'
import { expiry } from './store-contract/expiry.ts'
import { failures } from './store-contract/failures.ts'
import { indexes } from './store-contract/indexes.ts'
import { messages } from './store-contract/messages.ts'
import type { Check, Stage, StorePromises } from './store-contract/promise.ts'
import { values } from './store-contract/values.ts'

/** The options of `storeContract`. */
export interface StoreContractOptions {
  /**
   * Opens the store under test. It is called up to three times for each case, but only once for a `volatile`
   * store. All stores must use the same database. If the adapter opens connections, each store must have its
   * own connections. The suite closes the stores.
   */
  readonly createStore: () => Store | Promise<Store>
  /** Lets at least `seconds` pass for the store: it sleeps a little longer, or advances a frozen clock. */
  readonly elapse: (seconds: number) => void | Promise<void>
  /**
   * Disconnects a store of `createStore` from its database, so that calls fail within five seconds: close and block its
   * connections, or make the driver fail. Other stores stay connected. This option adds cases which prove that a
   * disconnected store never answers that a value is absent.
   *
   * @returns a function that connects the store again
   */
  readonly breakConnection?: ((store: Store) => Undo | Promise<Undo>) | undefined
  /**
   * Stops the replication of the database, for example by pausing the replicas, so that the database cannot confirm the
   * writes of a `durable` view. This option adds a case which proves that such a write rejects. The writes of all
   * stores are affected, so do not run this case at the same time as other cases.
   *
   * @returns a function that starts the replication again
   */
  readonly stopReplication?: (() => Undo | Promise<Undo>) | undefined
}

type Undo = () => void | Promise<void>

/**
 * One promise of the `Store` interface; `run` rejects with an AssertionError if the store does not keep the promise.
 */
export interface StoreContractCase {
  readonly name: string
  readonly run: () => Promise<void>
}

/**
 * Returns the cases which prove that an adapter keeps every promise of the `Store` interface. The cases use
 * only node:assert, so that any test runner can run them:
 *
 * ```ts
 * const cases = storeContract({
 *   createStore: () => myStore(client),
 *   elapse: (seconds) => setTimeout(seconds * 1000 + 50),   // from node:timers/promises
 * })
 * for (const { name, run } of cases) test(name, run)
 * ```
 *
 * Every key, index and channel of a case begins with `contract:` and a random id, so that it never collides with other
 * data. If `elapse` sleeps, cases may run at the same time, and then take a few seconds in total. A case removes its
 * data at its end, unless it is aborted. Timers must be real; only `Date` may be frozen.
 *
 * The promises of a store also apply to its `durable` view. If the store has a `durable` view, a case checks
 * the store and the view at the same time. The error names the view that failed.
 */
export function storeContract(options: StoreContractOptions): readonly StoreContractCase[] {
  const { createStore, elapse, breakConnection, stopReplication } = options

  /** @param isForViews whether the promise also applies to the durable view */
  async function run(check: Check, isForViews: boolean): Promise<void> {
    const traces = createTraces()
    const opened = await createStore()
    const store = traces.watch(opened)
    const other = store.volatile ? store : traces.watch(await createStore())
    const checks = [check(stageFor(store))]
    if (isForViews && store.durable) checks.push(check(stageFor(store.durable)).catch(nameView))
    function stageFor(view: Store): Stage {
      const unique = randomUUID()
      return {
        store: view,
        other,
        key: (suffix) => `contract:${unique}:${suffix}`,
        elapse: async (seconds) => elapse(seconds),
        async breakConnection() {
          const reconnect = await breakConnection?.(opened)
          return async () => reconnect?.()
        },
        async stopReplication() {
          const restart = await stopReplication?.()
          return async () => restart?.()
        },
      }
    }
    const outcomes = await Promise.allSettled(checks)
    const failure = outcomes.find((outcome) => outcome.status === 'rejected')
    await Promise.all([store.close(), other.close()])
    const removed = store.volatile ? undefined : traces.remove(createStore)
    // If the check failed, an error of the removal is ignored, so that the failure of the check is reported.
    await (failure ? removed?.catch(() => {}) : removed)
    if (failure) throw failure.reason
  }

  function asCases(promises: StorePromises, isForViews: boolean): StoreContractCase[] {
    return Object.entries(promises).map(([name, check]) => ({ name, run: () => run(check, isForViews) }))
  }

  const ofStore = { ...(breakConnection && failures), ...(stopReplication && durability) }
  return [
    ...asCases({ ...values, ...atomicity, ...expiry, ...indexes, ...counters, ...messages }, true),
    ...asCases({ ...description, ...closing, ...ofStore }, false),
  ]
}

function nameView(error: unknown): never {
  if (error instanceof Error) error.message = `through durable: ${error.message}`
  throw error
}

/** Records the writes of one case, so that they can be removed. */
function createTraces() {
  const keys = new Set<string>()
  const members = new Map<string, Set<string>>()

  function record(method: string | symbol, [name, member]: readonly string[]): void {
    if (name === undefined || member === undefined) return
    if (method === 'set' || method === 'create') keys.add(name)
    if (method === 'add') members.set(name, (members.get(name) ?? new Set()).add(member))
  }

  function watch(store: Store): Store {
    return new Proxy(store, {
      get(target, method) {
        if (method === 'durable') return target.durable && watch(target.durable)
        const member: unknown = Reflect.get(target, method)
        if (typeof member !== 'function') return member
        return (...args: string[]): unknown => {
          record(method, args)
          return Reflect.apply(member, target, args)
        }
      },
    })
  }

  return {
    watch,

    async remove(createStore: StoreContractOptions['createStore']): Promise<void> {
      const store = await createStore()
      try {
        await Promise.all([...keys].map((key) => store.delete(key)))
        const removals = [...members].flatMap(([index, all]) =>
          [...all].map((one) => store.remove(index, one)),
        )
        await Promise.all(removals)
      } finally {
        await store.close()
      }
    },
  }
}
