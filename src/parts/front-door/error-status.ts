import type { Context } from 'koa'
import { GatehouseError, STATUS, type GatehouseErrorCode, type Problem } from '../../errors.ts'
import { emitAppError } from '../../host/emit-app-error.ts'
import type { EventSink } from '../../host/events.ts'
import type { Logger } from '../../host/logger.ts'
import { Rejection, type RejectionDetails, type RejectionReason } from './rejection.ts'

/** A Koa app uses another status (`STATUS`). */
const EXCEPTIONS: Partial<Record<GatehouseErrorCode, number>> = {
  ERR_INVALID_ARGUMENT: 422,
  ERR_SCOPE_TOO_LARGE: 422,
  ERR_SIGNING_KEYS_READ_ONLY: 409,
}

export function statusOf(code: GatehouseErrorCode): number {
  return EXCEPTIONS[code] ?? STATUS[code]
}

/** If the input of a form is rejected, the console shows the form again with status 422. */
export interface Failure {
  readonly status: number
  readonly code: Rejection['code'] | GatehouseErrorCode | 'ERR_INTERNAL'
  /** Undefined if a service rejected it, or if something failed on our side. */
  readonly reason: RejectionReason | undefined
  readonly details: RejectionDetails
  /** Of the service, in English. Undefined for an error on our side, because its cause is only logged. */
  readonly message: string | undefined
  readonly problems: readonly Problem[]
  readonly headers: Readonly<Record<string, string>>
}

export function failureOf(error: unknown): Failure {
  if (error instanceof Rejection) {
    const { status, code, reason, details } = error
    const { allowed, problems = [] } = details
    const headers: Record<string, string> = allowed === undefined ? {} : { Allow: allowed }
    // The rest of the body is not read, so the connection cannot be used again.
    if (reason === 'bodyTooLarge') headers['Connection'] = 'close'
    return { status, code, reason, details, message: undefined, problems, headers }
  }
  const unknown = { reason: undefined, details: {}, message: undefined, problems: [], headers: {} }
  if (!(error instanceof GatehouseError)) return { ...unknown, status: 500, code: 'ERR_INTERNAL' }
  const { code, problems, headers } = error
  const status = statusOf(code)
  if (status >= 500) return { ...unknown, status, code, headers }
  // The message repeats the problems after the first line.
  const [line = ''] = error.message.split('\n', 1)
  const message = problems.length > 0 ? line.replace(/:$/, '') : line
  return { ...unknown, status, code, message, problems, headers }
}

/** Which HTTP status an error has in console and management API. Logs those on our side; all but 503 emit `error`. */
export function createFailures(surface: string, { logger, events }: { logger: Logger; events: EventSink }) {
  return function fail(ctx: Context, error: unknown): Failure {
    const failure = failureOf(error)
    const { status, code } = failure
    if (status < 500) return failure
    const cause = error instanceof Error ? error : new Error('a value that is not an Error was thrown')
    const where = { method: ctx.method, path: ctx.path, code }
    if (status === 503) {
      logger.warn({ ...where, reason: cause.message }, `${surface} was answered with 503`)
    } else {
      logger.error({ err: cause, ...where }, `${surface} failed`)
      emitAppError(ctx, cause)
    }
    events.emit('error', { error: cause })
    return failure
  }
}
