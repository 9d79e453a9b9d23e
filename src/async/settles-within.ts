import { withTimeout } from './with-timeout.ts'

/**
 * Waits for `work` for a limited time, without keeping the process alive.
 *
 * @param milliseconds maximum time to wait
 * @returns whether `work` succeeded in time. After the timeout, `work` continues
 */
export function settlesWithin(work: () => Promise<unknown>, milliseconds: number): Promise<boolean> {
  const late = { error: () => new Error(`not within ${milliseconds} ms`), keepsAlive: false }
  return withTimeout(milliseconds, work, late).then(
    () => true,
    () => false,
  )
}
