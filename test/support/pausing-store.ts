import type { Store } from 'koa-gatehouse'

/** A call that the store delays until `end()`. */
export interface Pause {
  /** Resolves to true when the call is delayed, and to false if no such call came before `end()`. */
  readonly reached: Promise<boolean>
  /** Lets the call continue. A matching call that comes later is not delayed. */
  end(): void
}

/**
 * Selects a call: by its number among the calls that only requests make (0 is the next), by its first words
 * (`get client:`), or by a predicate. The predicate gets the call, and the arguments as one text. The first matching
 * call is delayed.
 */
export type Which = number | string | ((call: string, args: string) => boolean)

/** A store that can delay one call while all other calls continue. */
export interface PausingStore {
  readonly store: Store
  /** The calls since the last `watch()` or pause, such as `get client:…`. */
  readonly calls: readonly string[]
  watch(): void
  /** Delays a call before the store executes it. */
  pauseBefore(which: Which): Pause
  /** Delays the answer of a call after the store has executed the call. */
  pauseAfter(which: Which): Pause
}

/** The calls that a number counts. All other records are read and written in the background too, at any time. */
const OF_REQUESTS = /^\w+ (account|code|consent-version|grants?|refresh-family):/

interface Armed {
  readonly which: Which
  readonly when: 'before' | 'after'
  hold(): Promise<void>
}

/** Wraps a store, so that one of its calls can be delayed. */
export function pausingStore(inner: Store): PausingStore {
  const calls: string[] = []
  let armed: Armed | undefined
  let ofRequests = 0

  /** Returns and removes the armed pause if it selects this call. Otherwise returns undefined. */
  function pauseOf(call: string, args: readonly unknown[]): Armed | undefined {
    if (!armed) return undefined
    const { which } = armed
    const isSelected =
      typeof which === 'function'
        ? which(call, args.join(' '))
        : typeof which === 'string'
          ? call.startsWith(which)
          : OF_REQUESTS.test(call) && which === ofRequests++
    if (!isSelected) return undefined
    const pause = armed
    armed = undefined
    return pause
  }

  const store = new Proxy(inner, {
    get(target, name: keyof Store) {
      const method = target[name]
      if (typeof method !== 'function' || name === 'close') return method
      return async (...args: unknown[]) => {
        const call = `${name} ${String(args[0])}`
        calls.push(call)
        const pause = pauseOf(call, args)
        if (pause?.when === 'before') await pause.hold()
        const answer: unknown = await Reflect.apply(method, target, args)
        if (pause?.when === 'after') await pause.hold()
        return answer
      }
    },
  })

  function pause(which: Which, when: 'before' | 'after'): Pause {
    calls.length = 0
    ofRequests = 0
    let reach: (value: boolean) => void = () => {}
    let release: () => void = () => {}
    const reached = new Promise<boolean>((resolve) => (reach = resolve))
    const released = new Promise<void>((resolve) => (release = resolve))
    armed = {
      which,
      when,
      hold() {
        reach(true)
        return released
      },
    }
    return {
      reached,
      end() {
        armed = undefined
        reach(false)
        release()
      },
    }
  }

  return {
    store,
    calls,
    watch() {
      calls.length = 0
      armed = undefined
    },
    pauseBefore: (which) => pause(which, 'before'),
    pauseAfter: (which) => pause(which, 'after'),
  }
}
