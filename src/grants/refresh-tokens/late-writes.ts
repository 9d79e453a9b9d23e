import { setTimeout as delay } from 'node:timers/promises'
import { LATE_WRITE_MS } from '../../async/clock-tolerances.ts'
import { withTimeout } from '../../async/with-timeout.ts'
import { GatehouseError } from '../../errors.ts'

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
 * Milliseconds after its start for which a request waits for a rollback. A process rolls back its late write
 * within half a second after the database answers it again.
 */
const ROLLBACK_TIMEOUT_MS = 1500

const POLL_INTERVAL_MS = 150

/** Milliseconds for which a read is awaited even after the deadline. */
const LAST_READ_MS = 500

const TOO_SLOW = {
  error: () =>
    new GatehouseError('ERR_STORE_UNAVAILABLE', 'the store did not answer before the deadline of a request'),
}

/** When a request that begins now stops waiting for a rollback: a value of `performance.now()`. */
export function rollbackDeadline(): number {
  return performance.now() + ROLLBACK_TIMEOUT_MS
}

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
 * Reads repeatedly until a result is certain, or until the deadline.
 *
 * @param isCertain whether a result is certain
 * @param deadline see `rollbackDeadline`
 * @returns the last result
 * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE` if the last read does not end in time
 */
export async function pollUntil<T>(
  read: () => Promise<T>,
  isCertain: (result: T) => boolean,
  deadline: number,
): Promise<T> {
  for (;;) {
    const left = deadline - performance.now()
    const result = await withTimeout(Math.max(left, LAST_READ_MS), read, TOO_SLOW)
    if (isCertain(result) || performance.now() + POLL_INTERVAL_MS >= deadline) return result
    await delay(POLL_INTERVAL_MS)
  }
}
