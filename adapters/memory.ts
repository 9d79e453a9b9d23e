import { storeClosed } from '../src/errors.ts'
import { createChannelListeners } from '../src/store/channel-listeners.ts'
import type { Store } from '../src/store/contract.ts'
import { createSlotCounters } from '../src/store/slot-counters.ts'

interface Value {
  text: string
  /** Milliseconds since the epoch; Infinity without a time to live. */
  expiresAt: number
}

interface Member {
  readonly text: string
  readonly bytes: Buffer
}

interface Index {
  /** The members in ascending order of their bytes, without duplicates. */
  members: Member[]
  /** Milliseconds since the epoch; Infinity without a time to live. */
  expiresAt: number
}

const SWEPT_PER_WRITE = 2

/**
 * Stores all data in the memory of this process. Use it for tests, for trials, and for services that run in
 * one process and may lose their data.
 *
 * All data is lost when the process ends, and other processes do not see it. An entry is removed only after
 * its time to live, or when it is deleted. The clock is `Date.now()`, so a test can freeze it.
 *
 * After `close()` every call rejects with `ERR_CLOSED`, and the data is deleted.
 */
export function memoryStore(): Store {
  const values = new Map<string, Value>()
  const indexes = createIndexes()
  const channels = createChannelListeners()
  const counters = createSlotCounters()
  let closed = false

  const sweepValues = createSweep(values)

  /** Synchronously, so that every method is atomic. The promise settles later, as a database's. */
  function run<T>(work: () => T): Promise<T> {
    return new Promise((resolve) => {
      if (closed) throw storeClosed('memory')
      resolve(work())
    })
  }

  function write(key: string, text: string, ttl: number | undefined): void {
    values.set(key, { text, expiresAt: expiry(ttl) })
    sweepValues()
  }

  return {
    volatile: true,

    get: (key) => run(() => getUnexpired(values, key)?.text),

    getMany: (keys) => run(() => keys.map((key) => getUnexpired(values, key)?.text)),

    set: (key, value, ttl) => run(() => write(key, value, ttl)),

    create: (key, value, ttl) =>
      run(() => {
        if (getUnexpired(values, key)) return false
        write(key, value, ttl)
        return true
      }),

    replace: (key, expected, value, ttl) =>
      run(() => {
        if (getUnexpired(values, key)?.text !== expected) return false
        write(key, value, ttl)
        return true
      }),

    delete: (key) =>
      run(() => {
        counters.delete(key)
        return getUnexpired(values, key) !== undefined && values.delete(key)
      }),

    add: (...args) => run(() => indexes.add(...args)),

    remove: (...args) => run(() => indexes.remove(...args)),

    range: (...args) => run(() => indexes.range(...args)),

    publish: (channel, message) => run(() => channels.deliver(channel, message)),

    subscribe: (channel, listener) =>
      run(() => {
        const { remove } = channels.add(channel, listener)
        return async () => void remove()
      }),

    count: (...args) => run(() => counters.count(...args)),

    ping: () => run(() => {}),

    async close() {
      closed = true
      values.clear()
      indexes.clear()
      channels.clear()
      counters.clear()
    },
  }
}

function createIndexes() {
  const indexes = new Map<string, Index>()
  const sweepIndexes = createSweep(indexes)
  return {
    add(name: string, member: string, ttl?: number): void {
      const index = getUnexpired(indexes, name) ?? { members: [], expiresAt: 0 }
      const bytes = Buffer.from(member)
      const position = firstNotBelow(index.members, bytes)
      if (index.members[position]?.text !== member) {
        index.members.splice(position, 0, { text: member, bytes })
      }
      index.expiresAt = Math.max(index.expiresAt, expiry(ttl))
      indexes.set(name, index)
      sweepIndexes()
    },
    remove(name: string, member: string): void {
      const index = getUnexpired(indexes, name)
      if (!index) return
      const position = firstNotBelow(index.members, Buffer.from(member))
      if (index.members[position]?.text === member) index.members.splice(position, 1)
      if (index.members.length === 0) indexes.delete(name)
    },
    range(name: string, { after, limit }: Parameters<Store['range']>[1]): string[] {
      const members = getUnexpired(indexes, name)?.members ?? []
      const position = after === undefined ? 0 : firstNotBelow(members, Buffer.from(after))
      const start = members[position]?.text === after ? position + 1 : position
      return members.slice(start, start + limit).map(({ text }) => text)
    },
    clear: () => indexes.clear(),
  }
}

function expiry(ttl: number | undefined): number {
  return ttl === undefined ? Infinity : Date.now() + ttl * 1000
}

function getUnexpired<T extends { expiresAt: number }>(entries: Map<string, T>, key: string): T | undefined {
  const entry = entries.get(key)
  if (entry === undefined || Date.now() < entry.expiresAt) return entry
  entries.delete(key)
  return undefined
}

/**
 * An expired entry is removed when it is read, or by a later write. Each write checks more entries than it adds. A
 * timer would ignore a frozen `Date.now()`, and a check of all entries at once would block the process.
 */
function createSweep(entries: Map<string, { expiresAt: number }>): () => void {
  // A Map's iterator stays valid while entries are added and removed.
  let position = entries.keys()
  return () => {
    for (let checked = 0; checked < SWEPT_PER_WRITE; checked += 1) {
      const { value: key, done } = position.next()
      if (done) {
        position = entries.keys()
        return
      }
      getUnexpired(entries, key)
    }
  }
}

/** The function compares bytes. JavaScript would compare UTF-16 units, and put U+FF5E after U+1F600. */
function firstNotBelow(members: readonly Member[], bytes: Buffer): number {
  let low = 0
  let high = members.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const member = members[middle]
    if (member && Buffer.compare(member.bytes, bytes) < 0) low = middle + 1
    else high = middle
  }
  return low
}
