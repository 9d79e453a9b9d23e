import { withTimeout } from './with-timeout.ts'

/**
 * Waits for something, but not for long, and keeps no process alive for that.
 *
 * @param milliseconds at most
 * @returns whether it succeeded in time; it goes on where it did not
 */
export function settlesWithin(work: () => Promise<unknown>, milliseconds: number): Promise<boolean> {
  const late = { error: () => new Error(`not within ${milliseconds} ms`), keepsAlive: false }
  return withTimeout(milliseconds, work, late).then(
    () => true,
    () => false,
  )
}
