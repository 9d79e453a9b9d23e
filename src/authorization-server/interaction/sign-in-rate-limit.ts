import { createHmac, randomBytes } from 'node:crypto'

/** Each key has one counter in each row. A row has as many counters as two bytes of a hash can address. */
const ROW = 65_536
const ROWS = 2

/**
 * A limit of `max` attempts per key within `windowSeconds` of the key's first attempt.
 *
 * All keys share a fixed number of counters (a count-min sketch). A table of keys would have a maximum size, and an
 * attacker with enough invented keys could evict all other keys from the table. A flood of keys evicts no counter. With
 * a hundred thousand attempts in a window, hardly any person waits without reason. With far more attempts, sign-ins are
 * rejected until the window ends. But checking so many passwords would overload the server earlier.
 *
 * @param options.max the attempts per window, at most 255
 * @param options.now returns the time in epoch seconds
 */
export function createSignInRateLimit(options: {
  readonly max: number
  readonly windowSeconds: number
  readonly now: () => number
}) {
  const { max, windowSeconds, now } = options
  const counts = new Uint8Array(ROWS * ROW)
  const ends = new Uint32Array(ROWS * ROW)
  // A secret seed, so that an attacker cannot find keys that share a counter.
  const seed = randomBytes(32)

  function countersOf(key: string): number[] {
    const hash = createHmac('sha256', seed).update(key).digest()
    return Array.from({ length: ROWS }, (_, row) => row * ROW + hash.readUInt16BE(2 * row))
  }

  const endOf = (counter: number) => ends[counter] ?? 0
  const countOf = (counter: number) => (endOf(counter) > now() ? (counts[counter] ?? 0) : 0)

  /** Seconds until the window of one of a key's counters ends; 0 if one of the counters is below the limit. */
  function waitFor(counters: readonly number[]): number {
    if (counters.some((counter) => countOf(counter) < max)) return 0
    return Math.ceil(Math.min(...counters.map(endOf)) - now())
  }

  function count(counter: number): void {
    counts[counter] = Math.min(countOf(counter) + 1, 255)
    if (endOf(counter) <= now()) ends[counter] = now() + windowSeconds
  }

  return {
    /**
     * Counts one attempt for each key. Call it before the attempt, so that simultaneous attempts count too.
     *
     * @returns 0 if the attempt is allowed; otherwise the seconds to wait; a rejected attempt is not counted
     */
    consume(...keys: readonly string[]): number {
      const counters = keys.map(countersOf)
      const waitSeconds = Math.max(...counters.map(waitFor))
      if (waitSeconds === 0) counters.flat().forEach(count)
      return waitSeconds
    },
    /** Resets a key after a successful attempt. */
    reset(key: string): void {
      for (const counter of countersOf(key)) counts[counter] = 0
    },
  }
}

/** Counts sign-in attempts in this process, so that passwords cannot be guessed on the sign-in page. */
export type SignInRateLimit = ReturnType<typeof createSignInRateLimit>
