import { setTimeout as delay } from 'node:timers/promises'
import { LATE_WRITE_MS } from '../../async/clock-tolerances.ts'

// A database that was paused or disconnected may apply writes long after their requests were answered with an error. The
// process that sent such a write rolls it back within moments (`uncertain-writes.ts`). Until then the token seems used to
// all other processes, and a client that retries with this token looks like a thief.

/** Milliseconds after a write before which no request was answered with an error, so no client retries. */
const FIRST_RETRY_MS = 250

/** Milliseconds within which a late write is rolled back, after its process has noticed that the database answers again. */
const ROLLBACK_TIMEOUT_MS = 3000

const POLL_INTERVAL_MS = 150

/**
 * Whether a write may have been applied late.
 *
 * @param sentAt when it was sent, in milliseconds since the epoch; undefined in records of older versions
 * @param now milliseconds since the epoch
 */
export function mayArriveLate(sentAt: number | undefined, now: number): boolean {
  if (sentAt === undefined) return false
  const age = Math.abs(now - sentAt)
  return age >= FIRST_RETRY_MS && age < LATE_WRITE_MS
}

/**
 * Reads repeatedly until a result is certain, for three seconds at most.
 *
 * @param isSettled whether a result is certain
 * @returns the last result
 */
export async function pollUntil<T>(read: () => Promise<T>, isSettled: (result: T) => boolean): Promise<T> {
  const until = performance.now() + ROLLBACK_TIMEOUT_MS
  for (;;) {
    const result = await read()
    if (isSettled(result) || performance.now() >= until) return result
    await delay(POLL_INTERVAL_MS)
  }
}
