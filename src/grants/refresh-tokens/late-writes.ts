import { setTimeout as delay } from 'node:timers/promises'
import { LATE_WRITE_MS } from '../../async/clock-tolerances.ts'

// A database that was paused or disconnected may apply writes long after their requests were answered with an
// error. The process that sent such a write soon rolls it back (`uncertain-writes.ts`). Until the rollback,
// all other processes read the replaced refresh token as used. A client that retries with this token then
// looks like a thief.

/**
 * Milliseconds after a write within which no client retries, because its request has not been answered with
 * an error yet.
 */
const FIRST_RETRY_MS = 250

/**
 * Milliseconds within which a process rolls back its late write, after it has noticed that the database
 * answers again.
 */
const ROLLBACK_TIMEOUT_MS = 3000

const POLL_INTERVAL_MS = 150

/**
 * Whether a write may have been applied late.
 *
 * @param sentAt when the write was sent, in milliseconds since the epoch; undefined in records that older
 *   versions of this library wrote
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
 * @param isCertain whether a result is certain
 * @returns the last result
 */
export async function pollUntil<T>(read: () => Promise<T>, isCertain: (result: T) => boolean): Promise<T> {
  const until = performance.now() + ROLLBACK_TIMEOUT_MS
  for (;;) {
    const result = await read()
    if (isCertain(result) || performance.now() >= until) return result
    await delay(POLL_INTERVAL_MS)
  }
}
