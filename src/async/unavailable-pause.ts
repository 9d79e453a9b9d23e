/** Maximum milliseconds from a read that failed because the store is unavailable to the next read. */
const MAX_PAUSE_MS = 100

/**
 * Milliseconds to wait before a read that failed because the store is unavailable is repeated. So a process knows
 * what it missed in an outage as soon as the store answers. While the circuit of the store is open, a read costs
 * nothing. The pause is random, so that processes on one store do not all read at the same moment.
 */
export function unavailablePause(): number {
  return MAX_PAUSE_MS * (0.75 + Math.random() / 4)
}
