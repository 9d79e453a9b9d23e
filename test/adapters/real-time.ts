import { setTimeout as delay } from 'node:timers/promises'

/** Lets time pass for a database with a clock of its own, which lets a record live to the end of its last millisecond. */
export const elapse = (seconds: number): Promise<void> => delay(seconds * 1000 + 50)
