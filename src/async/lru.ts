/**
 * Creates a cache of at most `most` values, by the second-chance algorithm. A full cache checks its values in
 * turn, and evicts the first value that was not read since its previous check. So values that are never read
 * do not evict values that are often read. A read costs one lookup and moves nothing.
 */
export function createLru<Key, Value>(most: number) {
  const entries = new Map<Key, Entry<Key, Value>>()
  // A stored iterator of the Map would leak memory: it keeps each old table that V8 has replaced, with the deleted
  // values, until its next step.
  const ring: Entry<Key, Value>[] = []
  let hand = 0

  function evict(): number {
    for (;;) {
      const place = hand
      hand = (hand + 1) % most
      const entry = ring[place]
      if (entry?.isUsed) {
        entry.isUsed = false
        continue
      }
      if (entry) entries.delete(entry.key)
      return place
    }
  }

  return {
    get(key: Key): Value | undefined {
      const entry = entries.get(key)
      if (entry === undefined) return undefined
      entry.isUsed = true
      return entry.value
    },
    set(key: Key, value: Value): void {
      if (most === 0) return
      const known = entries.get(key)
      if (known !== undefined) {
        known.value = value
        return
      }
      const place = ring.length < most ? ring.length : evict()
      const entry = { key, value, isUsed: false, place }
      entries.set(key, entry)
      ring[place] = entry
    },
    delete(key: Key): void {
      const entry = entries.get(key)
      const last = entry && ring.pop()
      if (!last) return
      entries.delete(key)
      // The last entry of the ring moves to the free place.
      if (last === entry) return
      ring[entry.place] = last
      last.place = entry.place
    },
    clear(): void {
      entries.clear()
      ring.length = 0
    },
  }
}

interface Entry<Key, Value> {
  readonly key: Key
  value: Value
  isUsed: boolean
  place: number
}

export type Lru<Key, Value> = ReturnType<typeof createLru<Key, Value>>
