import { setTimeout as delay } from 'node:timers/promises'
import type { Store } from 'koa-gatehouse'

/**
 * How a call fails:
 * - `rejected`: it fails, and nothing was done
 * - `unanswered`: it was done, and then fails
 * - `silent`: nothing is done, and no answer ever comes
 * - `late`: no answer ever comes, and it is done after everybody has given up
 */
export type Fault = 'rejected' | 'unanswered' | 'silent' | 'late'

export const FAULTS: readonly Fault[] = ['rejected', 'unanswered', 'silent', 'late']

/** A store whose calls can be made to fail. */
export interface FaultyStore {
  readonly store: Store
  /** `get session:…`, one entry a call, since the last `arm()`. */
  readonly calls: readonly string[]
  /**
   * Counts calls anew. One fails: the given one (0 is the next), or the first that begins so, as `get session`.
   * None if it is left out.
   */
  arm(at?: number | string, fault?: Fault, options?: { thenAway?: boolean | undefined }): void
  /** Every call fails from now on, and nothing is done. */
  goAway(): void
  /** All is well again. */
  comeBack(): void
  /** Settles when what was to be done late is done. */
  settled(): Promise<void>
}

/** @param options.lateBy milliseconds by which `late` calls are done late; longer than the deadline of a call */
export function faultyStore(inner: Store, { lateBy = 150 }: { lateBy?: number } = {}): FaultyStore {
  const calls: string[] = []
  const lateCalls: Promise<unknown>[] = []
  let armed: { at: number | string; fault: Fault; thenAway: boolean } | undefined
  let isAway = false

  const never = () => new Promise<never>(() => {})
  const failure = () => new Error('read ECONNRESET')

  async function fail(fault: Fault, work: () => Promise<unknown>): Promise<never> {
    if (fault === 'unanswered') await work()
    if (fault === 'silent') return never()
    if (fault === 'late') {
      lateCalls.push(delay(lateBy).then(work))
      return never()
    }
    throw failure()
  }

  const store = new Proxy(inner, {
    get(target, name: keyof Store) {
      const method = target[name]
      if (typeof method !== 'function' || name === 'close') return method
      return async (...args: unknown[]) => {
        const work = () => Reflect.apply(method, target, args) as Promise<unknown>
        const call = `${name} ${String(args[0])}`
        const index = calls.push(call) - 1
        if (isAway) throw failure()
        if (!armed || !(armed.at === index || call.startsWith(`${armed.at}:`))) return work()
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
      await Promise.all(lateCalls.splice(0))
    },
  }
}
