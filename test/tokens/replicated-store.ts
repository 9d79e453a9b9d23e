import { memoryStore } from 'koa-gatehouse/adapters/memory'
import type { Store } from 'koa-gatehouse'

/** A database with a replica that may lag behind, and that may take its place. */
export interface ReplicatedStore {
  /** Writes settle when the server has them. */
  readonly store: Store
  /** Writes settle when the replica has them too; if it lacks them they reject, and have been applied. */
  readonly durable: Store
  /** Whether the replica gets what is written. What it lacks it gets, in the order of writing, once it does again. */
  replicates: boolean
  /** The server is lost with all that the replica lacks, and the replica takes its place. */
  failOver(): void
}

/** Makes one, with nothing in it. It knows values, and no times to live. */
export function replicatedStore(): ReplicatedStore {
  let server = new Map<string, string>()
  let replica = new Map<string, string>()
  const state = { replicates: true }

  async function write<T>(key: string, isDurable: boolean, change: () => T): Promise<T> {
    const before = server.get(key)
    const result = change()
    const isWritten = result !== false || server.get(key) !== before
    if (state.replicates) replica = new Map(server)
    else if (isDurable && isWritten) throw new Error('too few replicas have it')
    return result
  }

  const view = (isDurable: boolean): Store => ({
    ...memoryStore(),
    volatile: false,
    get: async (key) => server.get(key),
    getMany: async (keys) => keys.map((key) => server.get(key)),
    set: (key, value) => write(key, isDurable, () => void server.set(key, value)),
    create: (key, value) => write(key, isDurable, () => !server.has(key) && Boolean(server.set(key, value))),
    replace: (key, expected, value) =>
      write(key, isDurable, () => server.get(key) === expected && Boolean(server.set(key, value))),
    delete: (key) => write(key, isDurable, () => server.delete(key)),
  })

  return {
    store: view(false),
    durable: view(true),
    get replicates() {
      return state.replicates
    },
    set replicates(value) {
      state.replicates = value
      if (value) replica = new Map(server)
    },
    failOver() {
      server = new Map(replica)
    },
  }
}
