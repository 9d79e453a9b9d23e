import { setTimeout as delay } from 'node:timers/promises'
import type { Store } from 'koa-gatehouse'

/**
 * How a call fails:
 * - `rejected`: the call fails, and the store is unchanged
 * - `unanswered`: the call is executed and then fails
 * - `silent`: the call is not executed and never settles
 * - `late`: the call never settles, and is executed after its deadline
 */
export type Fault = 'rejected' | 'unanswered' | 'silent' | 'late'

export const FAULTS: readonly Fault[] = ['rejected', 'unanswered', 'silent', 'late']

/** A store whose calls can be made to fail. */
export interface FaultyStore {
  readonly store: Store
  /** The calls since the last `arm()` that can fail, such as `get session:…`. */
  readonly calls: readonly string[]
  /**
   * Resets `calls`, and makes one call fail.
   *
   * @param at the number of the call (0 is the next call), or its first words, such as `get session`; without
   *   `at` no call fails
   * @param options.thenAway whether all calls after the failed call fail too, as after `goAway()`
   */
  arm(at?: number | string, fault?: Fault, options?: { thenAway?: boolean | undefined }): void
  /** Makes every call fail from now on, without executing it. */
  goAway(): void
  /** Makes all calls succeed again. */
  comeBack(): void
  /** Settles when all late calls have been executed. */
  settled(): Promise<void>
}

/**
 * Wraps a store, so that its calls can be made to fail.
 *
 * @param options.lateBy milliseconds after which `late` calls are executed; must be longer than the deadline
 *   of a call. With `Infinity`, `settled()` executes them
 * @param options.methods the methods that can fail and are counted. @default all
 */
export function faultyStore(
  inner: Store,
  { lateBy = 150, methods }: { lateBy?: number; methods?: ReadonlySet<string> } = {},
): FaultyStore {
  const calls: string[] = []
  const lateCalls: (() => Promise<unknown>)[] = []
  let armed: { at: number | string; fault: Fault; thenAway: boolean } | undefined
  let isAway = false

  const never = () => new Promise<never>(() => {})
  const failure = () => new Error('read ECONNRESET')

  async function fail(fault: Fault, work: () => Promise<unknown>): Promise<never> {
    if (fault === 'unanswered') await work()
    if (fault === 'silent') return never()
    if (fault === 'late') {
      const executed = lateBy === Infinity ? undefined : delay(lateBy).then(work)
      lateCalls.push(() => executed ?? work())
      return never()
    }
    throw failure()
  }

  const store = new Proxy(inner, {
    get(target, name: keyof Store) {
      const method = target[name]
      if (typeof method !== 'function' || name === 'close') return method
      if (methods && !methods.has(name)) return method.bind(target)
      return async (...args: unknown[]) => {
        const work = () => Reflect.apply(method, target, args) as Promise<unknown>
        const call = `${name} ${String(args[0])}`
        const index = calls.push(call) - 1
        if (isAway) throw failure()
        const isArmed = armed?.at === index || `${call}:`.startsWith(`${armed?.at}:`)
        if (!armed || !isArmed) return work()
        const { fault, thenAway } = armed
        armed = undefined
        isAway = thenAway
        return fail(fault, work)
      }
    },
  })

  return {
    store,
    calls,
    arm(at, fault = 'rejected', { thenAway = false } = {}) {
      calls.length = 0
      armed = at === undefined ? undefined : { at, fault, thenAway }
    },
    goAway() {
      isAway = true
    },
    comeBack() {
      isAway = false
      armed = undefined
    },
    async settled() {
      await Promise.all(lateCalls.splice(0).map((each) => each()))
    },
  }
}
