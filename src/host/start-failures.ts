import { GatehouseError, isStoreUnavailable } from '../errors.ts'
import { firstTimes, type Logger } from './logger.ts'

/**
 * Logs why a start failed. Each cause is logged once, because attempts are repeated many times. A temporary cause (an
 * unavailable store, a restarting authorization service) is a warning without a stack trace.
 */
export function createStartFailures(
  logger: Logger,
  name: 'gatehouse' | 'the gateway',
): (error: unknown) => void {
  const isNew = firstTimes()

  return function startFailed(error) {
    const isTemporary = error instanceof GatehouseError && error.status === 503
    if (!isNew(isStoreUnavailable(error) ? error.code : String(error))) return
    if (isTemporary) {
      logger.warn(
        { reason: error.message },
        `${name} is still connecting: requests get 503 until it has started`,
      )
    } else {
      logger.error({ err: error }, `${name} has not started: requests fail until it has started`)
    }
  }
}
