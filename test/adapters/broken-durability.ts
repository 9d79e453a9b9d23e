import type { Store } from '../../src/store/contract.ts'
import { replicatedStore } from '../support/replicated-store.ts'

/** A store with a `durable` view that misbehaves while no replica confirms its writes. */
export interface BrokenDurability {
  readonly breaks: string
  /** Returns methods that replace those of an intact `durable` view. `store` is the store of that view. */
  readonly methods: (intact: Store, store: Store) => Partial<Store>
  /** The end of the case's error message. */
  readonly message: string
}

/** Stores on a database with a replica. `replicates` is false while the replica is stopped. */
export function storesWithReplica(methods: BrokenDurability['methods'] = () => ({})) {
  const database = replicatedStore()
  const createStore = (): Store => ({
    ...database.store,
    durable: { ...database.durable, ...methods(database.durable, database.store) },
  })
  const stopReplication = () => {
    database.replicates = false
    return () => void (database.replicates = true)
  }
  return { createStore, stopReplication }
}

async function holds(store: Store, index: string, member: string): Promise<boolean> {
  return (await store.range(index, { limit: 1000 })).includes(member)
}

/** Stores that break a promise about durable writes. */
export const brokenDurability: readonly BrokenDurability[] = [
  ...(['set', 'create', 'replace', 'delete', 'add', 'remove'] as const).map((method): BrokenDurability => ({
    breaks: `a durable ${method} does not wait for replicas`,
    methods: (_, store) => ({ [method]: store[method] }),
    message: `${method} has resolved although no replica has it`,
  })),
  {
    breaks: 'a durable delete that finds no value waits only if this connection has written before',
    methods: (intact) => {
      let hasWritten = false
      return {
        async delete(key) {
          if (!hasWritten && (await intact.get(key)) === undefined) return false
          hasWritten = true
          return intact.delete(key)
        },
      }
    },
    message: 'delete, repeated through other, has resolved although no replica has it',
  },
  {
    breaks: 'a durable add of a present member resolves without its replicas',
    methods: (intact) => ({
      add: async (index, member) => {
        if (!(await holds(intact, index, member))) await intact.add(index, member)
      },
    }),
    message: 'add, repeated through durable, has resolved although no replica has it',
  },
  {
    breaks: 'a durable remove of an absent member resolves without its replicas',
    methods: (intact) => ({
      remove: async (index, member) => {
        if (await holds(intact, index, member)) await intact.remove(index, member)
      },
    }),
    message: 'remove, repeated through durable, has resolved although no replica has it',
  },
]
