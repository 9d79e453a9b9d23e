/**
 * Creates a cache of bounded size, by the second-chance algorithm. A full cache evicts a value that was not read
 * since its last check. So values that are never read cannot evict values that are read again and again. Reading
 * a value costs one lookup and moves nothing.
 *
 * @param most maximum number of values; 0 stores nothing
 */
export function createLru<Key, Value>(most: number) {
  const entries = new Map<Key, Entry<Key, Value>>()
  // The iterator stays valid while entries are added and removed. It continues where the last eviction ended.
  let hand = entries.values()

  function evict(): void {
    for (;;) {
      const { value: entry, done } = hand.next()
      if (done) hand = entries.values()
      else if (entry.isUsed) entry.isUsed = false
      else return void entries.delete(entry.key)
    }
  }

  return {
    /** The value of a key. Reading counts as a use. */
    get(key: Key): Value | undefined {
      const entry = entries.get(key)
      if (entry === undefined) return undefined
      entry.isUsed = true
      return entry.value
    },
    /** Stores a value. A full cache evicts another value. */
    set(key: Key, value: Value): void {
      if (most === 0) return
      const entry = entries.get(key)
      if (entry !== undefined) {
        entry.value = value
        return
      }
      if (entries.size >= most) evict()
      entries.set(key, { key, value, isUsed: false })
    },
    delete: (key: Key) => void entries.delete(key),
    clear: () => entries.clear(),
  }
}

interface Entry<Key, Value> {
  readonly key: Key
  value: Value
  isUsed: boolean
}

/** A cache of bounded size. If it is full, a new value replaces a value that is not in use. */
export type Lru<Key, Value> = ReturnType<typeof createLru<Key, Value>>
