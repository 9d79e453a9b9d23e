import { setTimeout as delay } from 'node:timers/promises'

// A database that was frozen, or reached again, may carry out writes whose requests were answered with a failure
// long before. Whoever sent one takes it back within moments (`uncertain-writes.ts`). Until then it looks to all other
// processes as if a token had been used, and a client that tries again, as it was told to, like a thief.

/** Milliseconds before which nobody has been told that a write failed, and so nobody tries again. */
const SOONEST = 250

/** Milliseconds by which a write may be late: longer than connections hold what nobody takes. */
const LATEST = 120_000

/** Milliseconds that are waited for it to be revoked: for its process to notice that the database answers again. */
const PATIENCE = 3000

const PAUSE = 150

/**
 * Whether a write may have come late.
 *
 * @param sentAt when it was sent, in milliseconds since the epoch; undefined in records of older versions
 * @param now milliseconds since the epoch
 */
export function mayArriveLate(sentAt: number | undefined, now: number): boolean {
  if (sentAt === undefined) return false
  const age = Math.abs(now - sentAt)
  return age >= SOONEST && age < LATEST
}

/**
 * Looks again and again, for a few seconds at most.
 *
 * @param isSettled whether there is nothing to wait for
 * @returns what was seen last
 */
export async function pollUntil<T>(look: () => Promise<T>, isSettled: (seen: T) => boolean): Promise<T> {
  const until = performance.now() + PATIENCE
  for (;;) {
    const seen = await look()
    if (isSettled(seen) || performance.now() >= until) return seen
    await delay(PAUSE)
  }
}
