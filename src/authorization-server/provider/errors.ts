import { GatehouseError } from '../../errors.ts'
import type { Logger } from '../../host/logger.ts'

/** The error that a client receives while the store is unavailable (the code is from RFC 6749 4.1.2.1). */
export const UNAVAILABLE = {
  error: 'temporarily_unavailable',
  error_description: 'not available for the moment; try again',
} as const

/** The error that a client receives when our side failed. It does not reveal the cause. */
export const FAILED = {
  error: 'server_error',
  error_description: 'something went wrong on our side',
} as const

/**
 * Logs a failed request. A temporary failure is logged without a stack: there may be one for every request, and its
 * cause has been logged once already.
 *
 * @param where the request, without any credential
 */
export function logFailure(logger: Logger, error: Error, where: Readonly<Record<string, unknown>>): void {
  if (isStoreUnavailable(error))
    logger.warn({ ...where, reason: error.message }, 'a request was answered with 503')
  else logger.error({ err: error, ...where }, 'the authorization service failed')
}

/** Whether a request failed only temporarily, so that it can be retried. */
export function isStoreUnavailable(error: unknown): error is GatehouseError {
  return error instanceof GatehouseError && error.status === 503
}
