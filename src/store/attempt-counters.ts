import { createHmac, randomBytes } from 'node:crypto'

/**
 * The number of counters in a row. Attempts are counted by key, such as the id of an interaction. Each key has one
 * counter in each row. Two bytes of the key's hash select this counter.
 */
const ROW = 65_536
const ROWS = 2

/**
 * Creates a function that finds the counter of a key. A counter admits at most `max` attempts.
 *
 * All keys share a fixed number of counters (a count-min sketch). A table with one entry per key would need a maximum
 * size, and an attacker could evict all other keys with invented keys. With a hundred thousand attempts in one window,
 * hardly any person has to wait because of other people's attempts. With far more attempts, all sign-ins would be
 * rejected until the window ends, but the password checks would overload the server earlier.
 */
export function createAttemptCounters({
  max,
  windowSeconds,
  now,
}: {
  readonly max: number
  readonly windowSeconds: number
  readonly now: () => number
}) {
  // Most processes count nothing, so the first attempt makes the table.
  let counts = new Uint16Array(0)
  let ends = new Uint32Array(0)
  // The seed is secret, so that an attacker cannot find keys that share a counter.
  const seed = randomBytes(32)

  const endOf = (counter: number) => ends[counter] ?? 0
  const countOf = (counter: number) => (endOf(counter) > now() ? (counts[counter] ?? 0) : 0)

  return function countOfKey(key: string) {
    const hash = createHmac('sha256', seed).update(key).digest()
    const counters = Array.from({ length: ROWS }, (_, row) => row * ROW + hash.readUInt16BE(2 * row))
    return {
      /** The attempts of the key, or more. */
      count: (): number => Math.min(...counters.map(countOf)),
      /** Seconds until the first of the key's counters is reset; 0 if one of these counters is below the limit. */
      waitSeconds(): number {
        if (counters.some((counter) => countOf(counter) < max)) return 0
        return Math.ceil(Math.min(...counters.map(endOf)) - now())
      },
      add(): void {
        if (counts.length === 0) [counts, ends] = [new Uint16Array(ROWS * ROW), new Uint32Array(ROWS * ROW)]
        for (const counter of counters) {
          counts[counter] = Math.min(countOf(counter) + 1, 65_535)
          if (endOf(counter) <= now()) ends[counter] = now() + windowSeconds
        }
      },
      subtract(): void {
        for (const counter of counters) counts[counter] = Math.max(countOf(counter) - 1, 0)
      },
      reset(): void {
        for (const counter of counters) counts[counter] = 0
      },
    }
  }
}
