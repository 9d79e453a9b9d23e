/** Counts attempts in this process, so that the sign-in page is no place for guessing. */
export interface AttemptLimit {
  /**
   * Counts one attempt under each of the keys, before it is made: attempts at the same moment count too.
   *
   * @returns seconds to wait if one of the keys has had too many (then nothing is counted), else 0
   */
  take(...keys: readonly string[]): number
  /** Forgets the attempts under a key: this one was right. */
  forget(key: string): void
}

/** Keys that are remembered at most; the oldest go first. */
const MAX_KEYS = 20_000

/**
 * A limit of `max` attempts per key within `windowSeconds` of the first one.
 *
 * @param options.now epoch seconds
 */
export function createAttemptLimit(options: {
  readonly max: number
  readonly windowSeconds: number
  readonly now: () => number
}): AttemptLimit {
  const { max, windowSeconds, now } = options
  const attempts = new Map<string, { count: number; until: number }>()

  function current(key: string) {
    const found = attempts.get(key)
    if (found && found.until > now()) return found
    attempts.delete(key)
    return undefined
  }

  return {
    take(...keys) {
      const exhausted = keys.flatMap((key) => current(key) ?? []).filter(({ count }) => count >= max)
      if (exhausted.length > 0) return Math.ceil(Math.max(...exhausted.map(({ until }) => until)) - now())
      for (const key of keys) {
        const known = current(key)
        if (known) known.count += 1
        else attempts.set(key, { count: 1, until: now() + windowSeconds })
      }
      for (const key of attempts.keys()) {
        if (attempts.size <= MAX_KEYS) break
        attempts.delete(key)
      }
      return 0
    },
    forget(key) {
      attempts.delete(key)
    },
  }
}
