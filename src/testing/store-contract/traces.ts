import type { Store } from '../../store/contract.ts'

/** Knows what was written through the stores of one case, so that it can be taken away again. */
export interface Traces {
  /** The same store, whose writes, the durable ones too, are taken down. */
  watch(store: Store): Store
  /** Takes away all that was written, through a store on the same database. */
  remove(store: Store): Promise<void>
}

/** Begins to take down what is written. */
export function createTraces(): Traces {
  const keys = new Set<string>()
  const members = new Map<string, Set<string>>()

  function takeDown(method: string | symbol, [name, member]: readonly string[]): void {
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
          takeDown(method, args)
          return Reflect.apply(member, target, args)
        }
      },
    })
  }

  return {
    watch,

    async remove(store) {
      await Promise.all([...keys].map((key) => store.delete(key)))
      const entries = [...members].flatMap(([index, all]) =>
        [...all].map((member) => [index, member] as const),
      )
      await Promise.all(entries.map(([index, member]) => store.remove(index, member)))
    },
  }
}
