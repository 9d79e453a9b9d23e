/** A table of bounded size. */
export interface Lru<Key, Value> {
  /** The value of a key, which counts as a use. */
  get(key: Key): Value | undefined
  /** Stores a value. If there are too many, the least recently used one is removed. */
  set(key: Key, value: Value): void
  delete(key: Key): void
  clear(): void
}

/** @param most maximum number of values */
export function createLru<Key, Value>(most: number): Lru<Key, Value> {
  // In the order of last use, because a Map iterates in the order of insertion.
  const values = new Map<Key, Value>()

  function set(key: Key, value: Value): void {
    values.delete(key)
    values.set(key, value)
    if (values.size <= most) return
    for (const oldest of values.keys()) {
      values.delete(oldest)
      return
    }
  }

  return {
    get(key) {
      const value = values.get(key)
      if (value !== undefined) set(key, value)
      return value
    },
    set,
    delete: (key) => void values.delete(key),
    clear: () => values.clear(),
  }
}
