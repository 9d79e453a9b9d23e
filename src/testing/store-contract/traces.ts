import type { Store } from '../../store/contract.ts'

/** Creates a recorder of writes. */
export function createTraces() {
  const keys = new Set<string>()
  const members = new Map<string, Set<string>>()

  function record(method: string | symbol, [name, member]: readonly string[]): void {
    if (name === undefined || member === undefined) return
    if (method === 'set' || method === 'create') keys.add(name)
    if (method === 'add') members.set(name, (members.get(name) ?? new Set()).add(member))
  }

  /** Wraps a store, so that its writes and the writes of its durable view are recorded. */
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

    /** Removes all recorded writes through a store on the same database. */
    async remove(store: Store): Promise<void> {
      await Promise.all([...keys].map((key) => store.delete(key)))
      const entries = [...members].flatMap(([index, all]) =>
        [...all].map((member) => [index, member] as const),
      )
      await Promise.all(entries.map(([index, member]) => store.remove(index, member)))
    },
  }
}

/** Records the writes of one case, so that they can be removed. */
export type Traces = ReturnType<typeof createTraces>
