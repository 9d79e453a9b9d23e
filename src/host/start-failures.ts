import { GatehouseError, isStoreUnavailable } from '../errors.ts'
import type { Logger } from './logger.ts'

/** Causes that are logged at most: some errors never have the same words twice. */
const MOST = 100

/**
 * Logs why a start failed. Each cause is logged once, because attempts are repeated many times. A temporary
 * cause (an unavailable store, a restarting authorization service) is a warning, any other cause an error.
 *
 * @param message the log message
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

/** An unavailable store fails with various messages: refused, closed, timed out. */
function causeOf(error: unknown): string {
  return isStoreUnavailable(error) ? error.code : String(error)
}
