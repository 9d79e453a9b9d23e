import { setTimeout as delay } from 'node:timers/promises'

/**
 * Waits in real time, because the database has its own clock. The 50 additional milliseconds are for a
 * database that deletes a record some milliseconds after its expiry.
 */
export const elapse = (seconds: number): Promise<void> => delay(seconds * 1000 + 50)
