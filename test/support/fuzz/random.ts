/** Random choices. The same seed gives the same choices. */
export interface Random {
  /** A whole number from 0 to `limit` - 1. */
  below(limit: number): number
  /** True with this probability. */
  chance(probability: number): boolean
  /** One entry of a list that is not empty. */
  pick<T>(list: readonly T[]): T
}

/**
 * Makes a generator (mulberry32) whose choices depend on the seed alone.
 *
 * @param seed a whole number; its lowest 32 bits count
 */
export function createRandom(seed: number): Random {
  let state = seed | 0

  function next(): number {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  const below = (limit: number) => Math.floor(next() * limit)
  return {
    below,
    chance: (probability) => next() < probability,
    pick<T>(list: readonly T[]) {
      if (list.length === 0) throw new Error('there is nothing to pick from')
      return list[below(list.length)] as T
    },
  }
}

/** Splits lines at their spaces. */
export function words(...lines: readonly string[]): string[] {
  return lines.flatMap((line) => line.split(' '))
}

/** Makes a list to pick from. The list contains each entry `times` times. */
export function weighted<T>(entries: readonly (readonly [entry: T, times: number])[]): readonly T[] {
  return entries.flatMap(([entry, times]) => Array.from({ length: times }, () => entry))
}
