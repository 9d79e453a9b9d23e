import type { Store } from 'koa-gatehouse'

/** A call that was held. */
export interface Pause {
  /** Settles when it has been made, and its answer is held; false if there was no such call by the time of `end`. */
  readonly reached: Promise<boolean>
  /** Lets its answer go. */
  end(): void
}

/** A store one of whose answers can be held, while all else goes on. */
export interface PausingStore {
  readonly store: Store
  /** `get client:…`, one entry a call, since the last `watch()` or `pauseAfter()`. */
  readonly calls: readonly string[]
  watch(): void
  /** Holds the answer of the call of that number (0 is the next), or of the first that begins so. */
  pauseAfter(at: number | string): Pause
}

/** Wraps a store. */
export function pausingStore(inner: Store): PausingStore {
  const calls: string[] = []
  let armed: { at: number | string; hold: () => Promise<void> } | undefined

  const store = new Proxy(inner, {
    get(target, name: keyof Store) {
      const method = target[name]
      if (typeof method !== 'function' || name === 'close') return method
      return async (...args: unknown[]) => {
        const call = `${name} ${String(args[0])}`
        const index = calls.push(call) - 1
        const pause = armed && (armed.at === index || call.startsWith(String(armed.at))) ? armed : undefined
        if (pause) armed = undefined
        const answer: unknown = await Reflect.apply(method, target, args)
        await pause?.hold()
        return answer
      }
    },
  })

  return {
    store,
    calls,
    watch() {
      calls.length = 0
      armed = undefined
    },
    pauseAfter(at) {
      calls.length = 0
      let reach: (value: boolean) => void = () => {}
      let release: () => void = () => {}
      const reached = new Promise<boolean>((resolve) => (reach = resolve))
      const released = new Promise<void>((resolve) => (release = resolve))
      armed = {
        at,
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
    },
  }
}
