/**
 * Creates a least-recently-used cache.
 *
 * @param most maximum number of values
 */
export function createLru<Key, Value>(most: number) {
  // A Map iterates in the order of insertion. Each use inserts the value again, so the first value is the
  // least recently used value.
  const values = new Map<Key, Value>()

  /** Stores a value. If there are too many values, the least recently used value is removed. */
  function set(key: Key, value: Value): void {
    values.delete(key)
    values.set(key, value)
    if (values.size > most) values.delete(values.keys().next().value as Key)
  }

  return {
    /** The value of a key. Reading counts as a use. */
    get(key: Key): Value | undefined {
      const value = values.get(key)
      if (value !== undefined) set(key, value)
      return value
    },
    set,
    delete: (key: Key) => void values.delete(key),
    clear: () => values.clear(),
  }
}

/** A cache of bounded size. If it is full, a new value replaces the least recently used value. */
export type Lru<Key, Value> = ReturnType<typeof createLru<Key, Value>>
