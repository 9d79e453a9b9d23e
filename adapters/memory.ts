import { GatehouseError } from '../src/errors.ts'
import type { Store } from '../src/store/contract.ts'

interface Value {
  text: string
  /** Epoch milliseconds; Infinity for what is kept until deleted. */
  expiresAt: number
}

interface Member {
  readonly text: string
  readonly bytes: Buffer
}

interface Index {
  /** In ascending order of their bytes, each once. */
  members: Member[]
  /** Epoch milliseconds; Infinity for what is kept until emptied. */
  expiresAt: number
}

/** How many stored things each write looks at for something that has expired. */
const SWEPT_PER_WRITE = 2

/**
 * Keeps everything in the memory of this process: for tests, trials, and services of one process that may
 * forget.
 *
 * It forgets everything when the process ends, and other processes do not see it. Nothing is ever evicted to
 * make room: what has a time to live leaves when that has elapsed, everything else stays until it is deleted,
 * so memory grows with what is stored. Time is `Date.now()`, so that a test that freezes the clock decides
 * what has expired.
 *
 * After `close()` every call rejects with `ERR_CLOSED`, and what was stored is gone.
 */
export function memoryStore(): Store {
  const values = new Map<string, Value>()
  const indexes = new Map<string, Index>()
  const channels = new Map<string, Set<{ deliver(message: string): void }>>()
  let closed = false

  // What has expired is removed when somebody asks for it, and else by the writes: each looks at a few more
  // things than it adds, so that the expired never outnumber the living for long. A timer would keep its own
  // clock beside Date.now(), stop the process from ending or need care not to, and pause everything at once.
  const sweepValues = createSweep(values)
  const sweepIndexes = createSweep(indexes)

  /** Runs `work` in one go, which is what makes every method atomic, and settles asynchronously. */
  function run<T>(work: () => T): Promise<T> {
    return new Promise((resolve) => {
      if (closed) throw new GatehouseError('ERR_CLOSED', 'the memory store has been closed')
      resolve(work())
    })
  }

  function write(key: string, text: string, ttl: number | undefined): void {
    values.set(key, { text, expiresAt: expiry(ttl) })
    sweepValues()
  }

  return {
    volatile: true,

    get: (key) => run(() => living(values, key)?.text),

    getMany: (keys) => run(() => keys.map((key) => living(values, key)?.text)),

    set: (key, value, ttl) => run(() => write(key, value, ttl)),

    create: (key, value, ttl) =>
      run(() => {
        if (living(values, key)) return false
        write(key, value, ttl)
        return true
      }),

    replace: (key, expected, value, ttl) =>
      run(() => {
        if (living(values, key)?.text !== expected) return false
        write(key, value, ttl)
        return true
      }),

    delete: (key) => run(() => living(values, key) !== undefined && values.delete(key)),

    add: (name, member, ttl) =>
      run(() => {
        const index = living(indexes, name) ?? { members: [], expiresAt: 0 }
        const bytes = Buffer.from(member)
        const position = firstNotBelow(index.members, bytes)
        if (index.members[position]?.text !== member) {
          index.members.splice(position, 0, { text: member, bytes })
        }
        index.expiresAt = Math.max(index.expiresAt, expiry(ttl))
        indexes.set(name, index)
        sweepIndexes()
      }),

    remove: (name, member) =>
      run(() => {
        const index = living(indexes, name)
        if (!index) return
        const position = firstNotBelow(index.members, Buffer.from(member))
        if (index.members[position]?.text === member) index.members.splice(position, 1)
        if (index.members.length === 0) indexes.delete(name)
      }),

    range: (name, { after, limit }) =>
      run(() => {
        const members = living(indexes, name)?.members ?? []
        const position = after === undefined ? 0 : firstNotBelow(members, Buffer.from(after))
        const start = members[position]?.text === after ? position + 1 : position
        return members.slice(start, start + limit).map(({ text }) => text)
      }),

    publish: (channel, message) =>
      run(() => {
        for (const subscription of channels.get(channel) ?? []) subscription.deliver(message)
      }),

    subscribe: (channel, listener) =>
      run(() => {
        const subscriptions = channels.get(channel) ?? new Set()
        const subscription = {
          deliver(message: string) {
            // Later, as from a real database, and so that a listener that throws or rejects disturbs nobody.
            Promise.resolve()
              .then(() => (subscriptions.has(subscription) ? listener(message) : undefined))
              .catch(() => {})
          },
        }
        subscriptions.add(subscription)
        channels.set(channel, subscriptions)
        return async () => {
          subscriptions.delete(subscription)
          if (subscriptions.size === 0 && channels.get(channel) === subscriptions) channels.delete(channel)
        }
      }),

    ping: () => run(() => {}),

    async close() {
      closed = true
      values.clear()
      indexes.clear()
      for (const subscriptions of channels.values()) subscriptions.clear()
      channels.clear()
    },
  }
}

function expiry(ttl: number | undefined): number {
  return ttl === undefined ? Infinity : Date.now() + ttl * 1000
}

/** What is stored under `key`, unless its time has elapsed; then it is removed. */
function living<T extends { expiresAt: number }>(things: Map<string, T>, key: string): T | undefined {
  const thing = things.get(key)
  if (thing === undefined || Date.now() < thing.expiresAt) return thing
  things.delete(key)
  return undefined
}

/** A function that goes round `things`, a few further with each call, and removes what has expired. */
function createSweep(things: Map<string, { expiresAt: number }>): () => void {
  // A Map's iterator stays valid while entries are added and removed.
  let position = things.keys()
  return () => {
    for (let looked = 0; looked < SWEPT_PER_WRITE; looked += 1) {
      const { value: key, done } = position.next()
      if (done) {
        position = things.keys()
        return
      }
      living(things, key)
    }
  }
}

/**
 * Position of the first member whose bytes are not below `bytes`. Bytes are compared, because JavaScript
 * compares UTF-16 units, which puts U+FF5E after U+1F600.
 */
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
