import { GatehouseError } from '../../errors.ts'
import type { Logger } from '../../host/logger.ts'

/** What a client reads while the store is away (the code is that of RFC 6749 4.1.2.1). */
export const UNAVAILABLE = {
  error: 'temporarily_unavailable',
  error_description: 'not available for the moment; try again',
} as const

/** What a client reads when something failed on our side: no word of what it was. */
export const FAILED = {
  error: 'server_error',
  error_description: 'something went wrong on our side',
} as const

/**
 * Tells operators of a request that failed. One that failed only for the moment is a line without a stack: there may be
 * as many as there are requests, and what is the matter has been told once.
 *
 * @param where the request, without anything that could be used
 */
export function logFailure(logger: Logger, error: Error, where: Readonly<Record<string, unknown>>): void {
  if (isStoreUnavailable(error))
    logger.warn({ ...where, reason: error.message }, 'a request was answered with 503')
  else logger.error({ err: error, ...where }, 'the authorization service failed')
}

/** Whether a request failed only for the moment, so that trying again makes sense. */
export function isStoreUnavailable(error: unknown): error is GatehouseError {
  return error instanceof GatehouseError && error.status === 503
}
