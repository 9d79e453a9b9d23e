import type { Store } from 'koa-gatehouse'

/** A store one of whose calls can be held up, before it is done or before it is answered. */
export interface HoldingStore {
  readonly store: Store
  /** Holds up the call with that number, counted from now on: 0 is the next. */
  hold(at: number, when: 'before' | 'after'): HeldCall
}

/** A call that is held up, or will be. */
export interface HeldCall {
  /** Settles when it is: `get grant:…`. */
  readonly reached: Promise<string>
  /** Lets it go on, or come through if it comes later. */
  letGo(): void
}

/** @param inner does what is let through */
export function holdingStore(inner: Store): HoldingStore {
  let count = 0
  let held: { at: number; when: 'before' | 'after'; wait: (call: string) => Promise<void> } | undefined

  const store = new Proxy(inner, {
    get(target, name: keyof Store) {
      const method = target[name]
      if (typeof method !== 'function' || name === 'close') return method
      return async (...args: unknown[]) => {
        const work = () => Reflect.apply(method, target, args) as Promise<unknown>
        const index = count
        count += 1
        if (held?.at !== index) return work()
        const { when, wait } = held
        held = undefined
        const call = `${name} ${String(args[0])}`
        if (when === 'before') await wait(call)
        const answer = await work()
        if (when === 'after') await wait(call)
        return answer
      }
    },
  })

  return {
    store,
    hold(at, when) {
      count = 0
      let report: (call: string) => void = () => {}
      let letGo: () => void = () => {}
      const reached = new Promise<string>((resolve) => (report = resolve))
      const gone = new Promise<void>((resolve) => (letGo = resolve))
      held = {
        at,
        when,
        wait(call) {
          report(call)
          return gone
        },
      }
      return {
        reached,
        letGo() {
          held = undefined
          letGo()
        },
      }
    },
  }
}
