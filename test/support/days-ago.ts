import { vi } from 'vitest'

/** Does something with a clock that is so many days behind. */
export async function daysAgo<T>(days: number, work: () => Promise<T>): Promise<T> {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - days * 86_400_000 })
  try {
    return await work()
  } finally {
    vi.useRealTimers()
  }
}
