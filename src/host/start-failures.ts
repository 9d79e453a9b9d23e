import { GatehouseError, isStoreUnavailable } from '../errors.ts'
import type { Logger } from './logger.ts'

/** Maximum number of logged causes, since some errors have a different message each time. */
const MAX_LOGGED_CAUSES = 100

/**
 * Logs why a start failed. Each cause is logged once, because attempts are repeated many times. A temporary
 * cause (an unavailable store, a restarting authorization service) is logged as a warning, and any other
 * cause as an error.
 *
 * @param message the log message
 */
export function createStartFailures(logger: Logger, message: string): (error: unknown) => void {
  const logged = new Set<string>()

  return function startFailed(error) {
    const cause = causeOf(error)
    if (logged.has(cause) || logged.size >= MAX_LOGGED_CAUSES) return
    logged.add(cause)
    const level = error instanceof GatehouseError && error.status === 503 ? 'warn' : 'error'
    logger[level]({ err: error }, message)
  }
}

/** The text that identifies a cause. An unavailable store is one cause, though its messages differ. */
function causeOf(error: unknown): string {
  return isStoreUnavailable(error) ? error.code : String(error)
}
