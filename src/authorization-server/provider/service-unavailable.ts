import { GatehouseError } from '../../errors.ts'
import type { Logger } from '../../host/logger.ts'

/** A failure on our side: 503 if it is temporary (RFC 6749 4.1.2.1), else 500. The cause is not revealed. */
export function failureResponse(error: unknown) {
  if (isServiceUnavailable(error)) {
    // The message about a document names only its host, which the client knows.
    const isOfDocument = error.code === 'ERR_DOCUMENT_UNAVAILABLE'
    const description = isOfDocument ? error.message : 'not available for the moment; try again'
    return { status: error.status, headers: error.headers, error: 'temporarily_unavailable', description }
  }
  return { status: 500, headers: {}, error: 'server_error', description: 'something went wrong on our side' }
}

/** A temporary failure is logged without a stack: its cause is logged already. No credentials in `where`. */
export function logFailure(logger: Logger, error: Error, where: Readonly<Record<string, unknown>>): void {
  if (isServiceUnavailable(error))
    logger.warn({ ...where, reason: error.message }, 'a request was answered with 503')
  else logger.error({ err: error, ...where }, 'the authorization service failed')
}

/** The store is unavailable, or the service has not started yet or is already closed. */
export function isServiceUnavailable(error: unknown): error is GatehouseError {
  return error instanceof GatehouseError && error.status === 503
}
