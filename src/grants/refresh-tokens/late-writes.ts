import { setTimeout as delay } from 'node:timers/promises'
import { LATE_WRITE_MS } from '../../async/clock-tolerances.ts'

// A database that was paused or disconnected may apply writes long after their requests were answered with an
// error. Soon after such a write is applied, the process that sent it rolls it back (`uncertain-writes.ts`).
// Until the rollback, all other processes see the replaced refresh token as used. A client that retries with
// this token then looks like a thief. So before a process treats the token as stolen, it waits for the
// rollback (`pollUntil`).

/**
 * How many milliseconds pass at least between a write and the retry of its client. A client retries only
 * after its request was answered with an error. So a younger write does not come from an earlier attempt of
 * the same client.
 */
const FIRST_RETRY_MS = 250

/**
 * How many milliseconds a process needs at most to roll back its late write, after it has noticed that the
 * database answers again.
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
