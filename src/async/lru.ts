/** A table of bounded size. */
export interface Lru<Key, Value> {
  /** What is kept under a key, which counts as a use of it. */
  get(key: Key): Value | undefined
  /** Keeps a value; where there are too many, the one goes that was not used for the longest time. */
  set(key: Key, value: Value): void
  delete(key: Key): void
  clear(): void
}

/** @param most how many values are kept at once */
export function createLru<Key, Value>(most: number): Lru<Key, Value> {
  // In the order of their last use: a Map iterates in the order of insertion.
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
