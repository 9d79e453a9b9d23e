import { setTimeout as delay } from 'node:timers/promises'

/**
 * Waits in real time, because the database has its own clock. Waits 50 ms longer than `seconds`, because a
 * record expires only after the end of its last millisecond.
 */
export const elapse = (seconds: number): Promise<void> => delay(seconds * 1000 + 50)
