import { memoryStore } from 'koa-gatehouse/adapters/memory'
import type { Store } from 'koa-gatehouse'

/**
 * A database with a server and a replica. The replica may lag behind the server, and may replace the server.
 */
export interface ReplicatedStore {
  /** A write settles when the server has it. */
  readonly store: Store
  /**
   * A write settles when the server and the replica have it. If the replica lacks the write, the write
   * rejects but stays on the server.
   */
  readonly durable: Store
  /** Whether writes reach the replica. When it is set to true, the replica gets all writes that it lacks. */
  replicates: boolean
  /** At the next write to this key or index, replication stops. The replica does not get this write. */
  lagFrom(name: string): void
  /** Replaces the server by the replica. Writes that the replica lacks are lost. */
  failOver(): void
}

/** The content of the database: values by key, and members by index. */
interface Data {
  readonly values: Map<string, string>
  readonly indexes: Map<string, ReadonlySet<string>>
}

/** Makes an empty database. The database ignores times to live, and its messages reach all subscribers. */
export function replicatedStore(): ReplicatedStore {
  let server: Data = { values: new Map(), indexes: new Map() }
  let replica = copyOf(server)
  const state = { replicates: true, lagsFrom: '' }
  const messages = memoryStore()

  async function write<T>(
    name: string,
    isDurable: boolean,
    change: () => T,
    isWritten = (result: T) => result !== false,
  ): Promise<T> {
    if (name === state.lagsFrom) state.replicates = false
    const result = change()
    if (state.replicates) replica = copyOf(server)
    else if (isDurable && isWritten(result)) throw new Error('too few replicas have it')
    return result
  }

  function members(index: string): ReadonlySet<string> {
    return server.indexes.get(index) ?? new Set()
  }

  const view = (isDurable: boolean): Store => ({
    get: async (key) => server.values.get(key),
    getMany: async (keys) => keys.map((key) => server.values.get(key)),
    set: (key, value) => write(key, isDurable, () => void server.values.set(key, value)),
    create: (key, value) =>
      write(key, isDurable, () => !server.values.has(key) && Boolean(server.values.set(key, value))),
    replace: (key, expected, value) =>
      write(key, isDurable, () => {
        const isExpected = server.values.get(key) === expected
        return isExpected && Boolean(server.values.set(key, value))
      }),
    // A delete counts as a write even if the key is absent, because the replica may lack an earlier delete.
    delete: (key) =>
      write(
        key,
        isDurable,
        () => server.values.delete(key),
        () => true,
      ),
    add: (index, member) =>
      write(index, isDurable, () => void server.indexes.set(index, new Set([...members(index), member]))),
    remove: (index, member) =>
      write(index, isDurable, () => {
        const others = [...members(index)].filter((each) => each !== member)
        server.indexes.set(index, new Set(others))
      }),
    async range(index, { after = '', limit }) {
      const order = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other))
      const later = [...members(index)].filter((member) => order(member, after) > 0)
      return later.toSorted(order).slice(0, limit)
    },
    publish: (channel, message) => messages.publish(channel, message),
    subscribe: (channel, listener, missed) => messages.subscribe(channel, listener, missed),
    ping: async () => {},
    close: async () => {},
  })

  return {
    store: view(false),
    durable: view(true),
    get replicates() {
      return state.replicates
    },
    set replicates(value) {
      state.replicates = value
      state.lagsFrom = ''
      if (value) replica = copyOf(server)
    },
    lagFrom(name) {
      state.lagsFrom = name
    },
    failOver() {
      server = copyOf(replica)
    },
  }
}

function copyOf({ values, indexes }: Data): Data {
  return { values: new Map(values), indexes: new Map(indexes) }
}
