import { setTimeout as delay } from 'node:timers/promises'

/**
 * Waits until `check` settles, and asks again every 25 ms while it rejects. For programs that say nothing when
 * they are ready.
 *
 * @param options.timeoutMs @default 20,000
 * @throws the last rejection, when the time is over
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
