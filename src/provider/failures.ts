import { GatehouseError } from '../errors.ts'

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

/** Whether a request failed only for the moment, so that trying again makes sense. */
export function isUnavailable(error: unknown): error is GatehouseError {
  return error instanceof GatehouseError && error.status === 503
}
