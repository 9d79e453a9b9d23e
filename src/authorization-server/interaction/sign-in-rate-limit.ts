import { createHmac, randomBytes } from 'node:crypto'

/** The option `maxSignInAttempts`. Higher limits would let a program guess passwords. */
export const SIGN_IN_ATTEMPTS = { byDefault: 10, max: 100 }

/**
 * The number of counters in a row. Attempts are counted by key, such as the id of an interaction. Each key has one
 * counter in each row. Two bytes of the key's hash select this counter.
 */
const ROW = 65_536
const ROWS = 2

/** One address may make ten times as many attempts as one identifier, because many people may share an address. */
const TIMES_PER_ADDRESS = 10

/** Seconds from the first attempt until the count of attempts is reset. */
const WINDOW_SECONDS = 900

/** The keys and the address for which an attempt to sign in is counted. */
export interface SignInAttempt {
  /** Two keys: the interaction, and the identifier together with the address. Each key admits `max` attempts. */
  readonly keys: readonly string[]
  /** The network address alone, for any identifier. It admits ten times `max` failed attempts. */
  readonly address: string
}

/**
 * Limits the attempts to sign in within 15 minutes of the first attempt. Attempts are counted for each interaction, for
 * each identifier from one address, and for each address.
 *
 * @param options.max the attempts per window for each key; an address may make ten times as many
 * @param options.now returns the time in epoch seconds
 */
export function createSignInRateLimit({ max, now }: { readonly max: number; readonly now: () => number }) {
  const byKey = createCounters(max, now)
  const byAddress = createCounters(TIMES_PER_ADDRESS * max, now)

  return {
    /**
     * Counts one attempt. Call this before the attempt, so that simultaneous attempts cannot exceed the limit.
     *
     * @returns 0 if the attempt is allowed. Otherwise the seconds to wait; a rejected attempt is not counted
     */
    consume({ keys, address }: SignInAttempt): number {
      const counts = [...keys.map(byKey), byAddress(address)]
      const waitSeconds = Math.max(...counts.map((each) => each.waitSeconds()))
      if (waitSeconds === 0) for (const each of counts) each.add()
      return waitSeconds
    },
    /** Resets the count of `key` after a successful attempt. The count of the address is only reduced by one. */
    succeeded(key: string, address: string): void {
      byKey(key).reset()
      byAddress(address).subtract()
    },
  }
}

/** Limits the sign-in attempts in this process, so that passwords cannot be guessed on the sign-in page. */
export type SignInRateLimit = ReturnType<typeof createSignInRateLimit>

/**
 * Creates a function that finds the counter of a key. A counter admits at most `max` attempts.
 *
 * All keys share a fixed number of counters (a count-min sketch). A table with one entry per key would need a maximum
 * size, and an attacker could evict all other keys with invented keys. With a hundred thousand attempts in one window,
 * hardly any person has to wait because of other people's attempts. With far more attempts, all sign-ins would be
 * rejected until the window ends, but the password checks would overload the server earlier.
 */
function createCounters(max: number, now: () => number) {
  const counts = new Uint16Array(ROWS * ROW)
  const ends = new Uint32Array(ROWS * ROW)
  // The seed is secret, so that an attacker cannot find keys that share a counter.
  const seed = randomBytes(32)

  const endOf = (counter: number) => ends[counter] ?? 0
  const countOf = (counter: number) => (endOf(counter) > now() ? (counts[counter] ?? 0) : 0)

  return function countOfKey(key: string) {
    const hash = createHmac('sha256', seed).update(key).digest()
    const counters = Array.from({ length: ROWS }, (_, row) => row * ROW + hash.readUInt16BE(2 * row))
    return {
      /** Seconds until the first of the key's counters is reset; 0 if one of these counters is below the limit. */
      waitSeconds(): number {
        if (counters.some((counter) => countOf(counter) < max)) return 0
        return Math.ceil(Math.min(...counters.map(endOf)) - now())
      },
      add(): void {
        for (const counter of counters) {
          counts[counter] = Math.min(countOf(counter) + 1, 65_535)
          if (endOf(counter) <= now()) ends[counter] = now() + WINDOW_SECONDS
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
