import { createHmac, randomBytes } from 'node:crypto'

/** At most `max` acts of one key in a window, such as the attempts from an address. */
export interface Bound {
  readonly key: string
  readonly max: number
}

/** What all processes have counted together; see `store/shared-limit.ts`. */
export interface SharedCounts {
  waitSeconds(key: string): number
  add(bound: Bound): void
  subtract(key: string): void
  reset(key: string): void
}

/** The number of counters in a row. Each key has one counter in each row, which four bytes of the key's hash select. */
const ROW = 131_072
const ROWS = 2

/** Acts are shared from this part of a bound on, so that single mistakes cost no call of the store. */
const SHARED_FROM = 1 / 4

/**
 * Creates a rate limit: the window of a key begins with its first act, and admits as many acts as its bound says.
 *
 * All keys share a fixed number of counters (a count-min sketch). A table with one entry per key would need a maximum
 * size, and an attacker could evict all other keys with invented keys. With a hundred thousand attempts in one window,
 * hardly any person has to wait because of other people's attempts. With far more attempts, all sign-ins would be
 * rejected until the window ends, but the password checks would overload the server earlier.
 *
 * @param options.now returns the time in seconds
 * @param options.shared counts in all processes together; without it, each process counts alone
 */
export function createRateLimit({
  windowSeconds,
  now,
  shared,
}: {
  readonly windowSeconds: number
  readonly now: () => number
  readonly shared?: SharedCounts | undefined
}) {
  // Most processes count nothing, so the first act makes the table.
  let counts = new Uint16Array(0)
  let ends = new Float64Array(0)
  // The seed is secret, so that an attacker cannot find keys that share a counter.
  const seed = randomBytes(32)

  const endOf = (counter: number) => ends[counter] ?? 0
  const countOf = (counter: number) => (endOf(counter) > now() ? (counts[counter] ?? 0) : 0)

  function countersOf(key: string): number[] {
    const hash = createHmac('sha256', seed).update(key).digest()
    return Array.from({ length: ROWS }, (_, row) => row * ROW + (hash.readUInt32BE(4 * row) % ROW))
  }

  /** @returns the acts of the key, or more */
  const countIn = (counters: readonly number[]) => Math.min(...counters.map(countOf))

  function waitSeconds(bounds: readonly Bound[]): number {
    const waits = bounds.map(({ key, max }) => {
      const counters = countersOf(key)
      const own = countIn(counters) < max ? 0 : Math.ceil(Math.min(...counters.map(endOf)) - now())
      return Math.max(own, shared?.waitSeconds(key) ?? 0)
    })
    return Math.max(0, ...waits)
  }

  function add(bound: Bound): void {
    if (counts.length === 0) [counts, ends] = [new Uint16Array(ROWS * ROW), new Float64Array(ROWS * ROW)]
    const counters = countersOf(bound.key)
    for (const counter of counters) {
      counts[counter] = Math.min(countOf(counter) + 1, 65_535)
      if (endOf(counter) <= now()) ends[counter] = now() + windowSeconds
    }
    if (countIn(counters) >= bound.max * SHARED_FROM) shared?.add(bound)
  }

  return {
    /** Seconds until each of the bounds admits another act; 0 if they do now. */
    waitSeconds,
    add,
    /** Counts an act for all bounds, if each of them admits it. @returns 0 if it was counted; otherwise the seconds to wait */
    take(bounds: readonly Bound[]): number {
      const wait = waitSeconds(bounds)
      if (wait === 0) for (const bound of bounds) add(bound)
      return wait
    },
    /** Takes an act back, because it succeeded. */
    subtract({ key }: Bound): void {
      for (const counter of countersOf(key)) counts[counter] = Math.max(countOf(counter) - 1, 0)
      shared?.subtract(key)
    },
    /** Begins to count from 0 in all processes, because an act succeeded. */
    reset({ key, max }: Bound): void {
      const counters = countersOf(key)
      if (countIn(counters) >= max * SHARED_FROM) shared?.reset(key)
      for (const counter of counters) counts[counter] = 0
    },
  }
}
