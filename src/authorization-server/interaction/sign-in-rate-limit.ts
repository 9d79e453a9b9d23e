import { createHmac, randomBytes } from 'node:crypto'

/** Counts attempts in this process, so that the sign-in page is no place for guessing. */
export interface SignInRateLimit {
  /**
   * Counts one attempt under each of the keys, before it is made: attempts at the same moment count too.
   *
   * @returns seconds to wait if one of the keys has had too many (then nothing is counted), else 0
   */
  take(...keys: readonly string[]): number
  /** Forgets the attempts under a key: this one was right. */
  forget(key: string): void
}

/** Each key has a counter in each row; with two bytes of a hash for each, a row has this many. */
const ROW = 65_536
const ROWS = 2

/**
 * A limit of `max` attempts per key within `windowSeconds` of the first one.
 *
 * It counts in a fixed number of counters that keys share (a count-min sketch), instead of a list of keys: a list
 * would have to forget, and whoever makes up enough keys would make it forget everybody's attempts. Here a flood
 * forgets nothing. With a hundred thousand attempts in a window hardly anybody waits without reason; with far
 * more, which the check of passwords would feel first, sign-ins are denied until it is over.
 *
 * @param options.max at most 255
 * @param options.now epoch seconds
 */
export function createSignInRateLimit(options: {
  readonly max: number
  readonly windowSeconds: number
  readonly now: () => number
}): SignInRateLimit {
  const { max, windowSeconds, now } = options
  const counts = new Uint8Array(ROWS * ROW)
  const ends = new Uint32Array(ROWS * ROW)
  // Nobody can tell which keys share a counter.
  const seed = randomBytes(32)

  function countersOf(key: string): number[] {
    const hash = createHmac('sha256', seed).update(key).digest()
    return Array.from({ length: ROWS }, (_, row) => row * ROW + hash.readUInt16BE(2 * row))
  }

  const isLive = (counter: number) => (ends[counter] ?? 0) > now()
  const countAt = (counter: number) => (isLive(counter) ? (counts[counter] ?? 0) : 0)

  /** Seconds until a key may be tried again: the counter that ends first lets it. */
  function waitFor(key: string): number {
    const counters = countersOf(key)
    if (counters.some((counter) => countAt(counter) < max)) return 0
    return Math.ceil(Math.min(...counters.map((counter) => ends[counter] ?? 0)) - now())
  }

  function count(counter: number): void {
    if (!isLive(counter)) {
      counts[counter] = 0
      ends[counter] = now() + windowSeconds
    }
    counts[counter] = Math.min((counts[counter] ?? 0) + 1, 255)
  }

  return {
    take(...keys) {
      const wait = Math.max(...keys.map(waitFor))
      if (wait > 0) return wait
      for (const key of keys) countersOf(key).forEach(count)
      return 0
    },
    forget(key) {
      for (const counter of countersOf(key)) counts[counter] = 0
    },
  }
}
