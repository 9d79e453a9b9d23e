import { GatehouseError } from '../errors.ts'
import type { Logger } from './logger.ts'

/** Causes that are logged at most: some errors never have the same words twice. */
const MOST = 100

/**
 * Logs why something could not start, each cause once: an attempt is repeated many times. What may pass by itself (the
 * store is away, the authorization service is restarting) is a warning, anything else an error.
 *
 * @param message what is the matter, for the log
 */
export function createStartFailures(logger: Logger, message: string): (error: unknown) => void {
  const logged = new Set<string>()

  return function startFailed(error) {
    const cause = causeOf(error)
    if (logged.has(cause) || logged.size >= MOST) return
    logged.add(cause)
    const level = error instanceof GatehouseError && error.status === 503 ? 'warn' : 'error'
    logger[level]({ err: error }, message)
  }
}

/** A store that is away fails in many words: refused, closed, too late. */
function causeOf(error: unknown): string {
  return error instanceof GatehouseError && error.code === 'ERR_STORE_UNAVAILABLE'
    ? error.code
    : String(error)
}
