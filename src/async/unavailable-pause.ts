const MAX_PAUSE_MS = 100

/**
 * Milliseconds until the retry of a read that failed because the store is unavailable. The pause is short, because
 * retries cost nothing while the circuit breaker is open; and random, so that the processes do not all read at once.
 */
export function unavailablePause(): number {
  return MAX_PAUSE_MS * (0.75 + Math.random() / 4)
}
