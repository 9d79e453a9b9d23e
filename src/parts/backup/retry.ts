import { setTimeout as delay } from 'node:timers/promises'
import { isStoreUnavailable } from '../../errors.ts'

/** Each delay is twice as long as the previous delay. */
const MAX_RETRIES = 6
const FIRST_RETRY_MS = 50

/** Retries while the store is unavailable, so that a short outage does not end the import. */
export async function retry<T>(work: () => Promise<T>): Promise<T> {
  for (let retries = 0; ; retries += 1) {
    try {
      return await work()
    } catch (error) {
      if (!isStoreUnavailable(error) || retries === MAX_RETRIES) throw error
    }
    await delay(FIRST_RETRY_MS * 2 ** retries)
  }
}
