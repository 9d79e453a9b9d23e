const MAX_PAUSE_MS = 100

/**
 * Milliseconds until the retry of a read that failed because the store is unavailable. The pause is short, so that a
 * process soon learns what it missed in an outage. Retries cost nothing while the circuit breaker of the store is
 * open. The pause is random, so that the processes on one store do not all read at the same moment.
 */
export function unavailablePause(): number {
  return MAX_PAUSE_MS * (0.75 + Math.random() / 4)
}
