import { setTimeout as delay } from 'node:timers/promises'

/**
 * Calls `check` every 25 ms until it succeeds. Use it for programs that do not report when they are ready.
 *
 * @param options.timeoutMs @default 20,000
 * @throws the error of the last call of `check`, after the timeout
 */
export async function until<T>(
  check: () => T | Promise<T>,
  { timeoutMs = 20_000 }: { timeoutMs?: number } = {},
): Promise<T> {
  const end = Date.now() + timeoutMs
  for (;;) {
    try {
      return await check()
    } catch (error) {
      if (Date.now() >= end) throw error
      await delay(25)
    }
  }
}
