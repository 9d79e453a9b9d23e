import type { Context } from 'koa'
import { RepeatError, type RepeatProblem } from '../clients/repeatable/repeat-error.ts'
import { GatehouseError } from '../errors.ts'
import { emitAppError } from '../host/emit-app-error.ts'
import type { EventSink } from '../host/events.ts'
import type { Logger } from '../host/logger.ts'
import { ConsoleError, type ConsoleErrorName } from './console-error.ts'

const REPEAT_ERRORS: Readonly<Record<RepeatProblem, ConsoleErrorName>> = {
  'invalid-key': 'body',
  'other-body': 'repeated',
  deleted: 'repeated',
  'in-progress': 'inProgress',
}

/**
 * Creates a function that turns every error into an error of the console, and reports errors on our side to the operators.
 * The cause stays on our side.
 */
export function createErrorReports({ logger, events }: { logger: Logger; events: EventSink }) {
  return function toConsoleError(ctx: Context, error: unknown): ConsoleError {
    if (error instanceof ConsoleError) return error
    if (error instanceof RepeatError) return new ConsoleError(REPEAT_ERRORS[error.problem])
    if (error instanceof GatehouseError && error.status === 404) return new ConsoleError('notFound')
    // A link with another cursor than one of ours, for example.
    if (error instanceof GatehouseError && error.code === 'ERR_INVALID_ARGUMENT') {
      return new ConsoleError('notFound')
    }
    const where = { method: ctx.method, path: ctx.path }
    const cause = error instanceof Error ? error : new Error('a value that is not an Error was thrown')
    events.emit('error', { error: cause })
    if (error instanceof GatehouseError && error.status === 503) {
      ctx.set({ ...error.headers })
      logger.warn({ ...where, reason: cause.message }, 'a page of the console was answered with 503')
      return new ConsoleError('busy')
    }
    logger.error({ err: cause, ...where }, 'a page of the console failed')
    emitAppError(ctx, cause)
    return new ConsoleError('internal')
  }
}
