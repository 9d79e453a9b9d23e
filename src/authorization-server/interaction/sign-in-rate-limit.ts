import { createHmac, randomBytes } from 'node:crypto'

/**
 * Attempts are counted by key, such as the id of an interaction. Each key has one counter in each row of
 * counters. Two bytes of the key's hash select the counter, so a row has 65,536 counters.
 */
const ROW = 65_536
const ROWS = 2

/**
 * A limit of `max` attempts per key within `windowSeconds` of the key's first attempt.
 *
 * All keys share a fixed number of counters (a count-min sketch). A table with one entry per key would need a
 * maximum size. An attacker could then fill the table with invented keys, and evict all other keys. Here,
 * invented keys evict no counter. With a hundred thousand attempts in one window, hardly any person has to
 * wait because of other people's attempts. With far more attempts, all sign-ins are rejected until the window
 * ends. But checking so many passwords would overload the server before that happens.
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
  // The seed is secret, so that an attacker cannot find keys that share a counter.
  const seed = randomBytes(32)

  function countersOf(key: string): number[] {
    const hash = createHmac('sha256', seed).update(key).digest()
    return Array.from({ length: ROWS }, (_, row) => row * ROW + hash.readUInt16BE(2 * row))
  }

  const endOf = (counter: number) => ends[counter] ?? 0
  const countOf = (counter: number) => (endOf(counter) > now() ? (counts[counter] ?? 0) : 0)

  /**
   * How many seconds a key must wait until the window of one of its counters ends; 0 if one of its counters
   * is below the limit.
   */
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
     * Counts one attempt for each key. Call this before the attempt, so that simultaneous attempts cannot
     * exceed the limit.
     *
     * @returns 0 if the attempt is allowed. Otherwise the seconds to wait; a rejected attempt is not counted
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

/** Limits the sign-in attempts in this process, so that passwords cannot be guessed on the sign-in page. */
export type SignInRateLimit = ReturnType<typeof createSignInRateLimit>
