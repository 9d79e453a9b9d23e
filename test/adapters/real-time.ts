import { setTimeout as delay } from 'node:timers/promises'

/** Waits for a database with its own clock, in which a record expires after the end of its last millisecond. */
export const elapse = (seconds: number): Promise<void> => delay(seconds * 1000 + 50)
