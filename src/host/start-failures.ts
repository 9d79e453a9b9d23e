import { GatehouseError, isStoreUnavailable } from '../errors.ts'
import { firstTimes, type Logger } from './logger.ts'

/**
 * Logs why a start failed. Each cause is logged once, because attempts are repeated many times. A temporary
 * cause (an unavailable store, a restarting authorization service) is logged as a warning, and any other
 * cause as an error.
 *
 * @param message the log message
 */
export function createStartFailures(logger: Logger, message: string): (error: unknown) => void {
  const isNew = firstTimes()

  return function startFailed(error) {
    // An unavailable store is one cause, though its messages differ.
    if (!isNew(isStoreUnavailable(error) ? error.code : String(error))) return
    const level = error instanceof GatehouseError && error.status === 503 ? 'warn' : 'error'
    logger[level]({ err: error }, message)
  }
}
