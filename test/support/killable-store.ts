import type { Store } from 'koa-gatehouse'

/** The methods of a store that change data. */
export const WRITES: ReadonlySet<string> = new Set(['set', 'create', 'replace', 'delete', 'add', 'remove'])

/** A store whose process can be killed at one of its writes. */
export interface KillableStore {
  readonly store: Store
  /** Whether the process was killed. */
  readonly isKilled: boolean
  /** Resolves when the process is killed. */
  readonly killed: Promise<void>
  /**
   * Kills the process at one of its next writes: this write and all later calls fail, and change nothing.
   *
   * @param number the number of the write; 0 is the next write
   * @param isWritten whether the store has this write, although its process never learns of it
   */
  killAt(number: number, isWritten?: boolean): void
}

/** Wraps a store, so that its process can be killed. */
export function killableStore(inner: Store): KillableStore {
  let left = Infinity
  let isKilled = false
  let isLastWritten = false
  let kill: () => void = () => {}
  const killed = new Promise<void>((resolve) => (kill = resolve))
  const store = new Proxy(inner, {
    get(target, name: keyof Store) {
      const method = target[name]
      if (typeof method !== 'function' || name === 'close') return method
      return async (...args: unknown[]) => {
        if (WRITES.has(name)) {
          if (left <= 0 && !isKilled && isLastWritten) await (Reflect.apply(method, target, args) as unknown)
          isKilled ||= left <= 0
          left -= 1
        }
        if (isKilled) {
          kill()
          throw new Error('the process was killed')
        }
        return Reflect.apply(method, target, args) as unknown
      }
    },
  })
  return {
    store,
    killed,
    get isKilled() {
      return isKilled
    },
    killAt(number, isWritten = false) {
      left = number
      isLastWritten = isWritten
    },
  }
}
