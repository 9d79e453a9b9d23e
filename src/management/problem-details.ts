import { STATUS_CODES } from 'node:http'
import type { Context } from 'koa'
import { GatehouseError, type GatehouseErrorCode, type Problem } from '../errors.ts'
import { emitAppError } from '../host/emit-app-error.ts'
import type { EventSink } from '../host/events.ts'
import type { Logger } from '../host/logger.ts'
import { RepeatError, type RepeatProblem } from '../clients/repeatable/repeat-error.ts'
import { ApiError, type ApiErrorCode } from './api-error.ts'

/** The statuses of errors of the services, where the API answers with another status than a Koa app. */
const STATUS: Partial<Record<GatehouseErrorCode, number>> = {
  ERR_INVALID_ARGUMENT: 422,
  ERR_SCOPE_TOO_LARGE: 422,
  ERR_SIGNING_KEYS_READ_ONLY: 409,
}

/** What a caller may read about an error (RFC 9457). */
interface ProblemDetails {
  readonly status: number
  readonly code: string
  readonly detail: string
  readonly problems: readonly Problem[]
  readonly headers: Readonly<Record<string, string>>
}

/** Creates a function that answers a request with problem details, and reports errors on our side. */
export function createErrorAnswers({ logger, events }: { logger: Logger; events: EventSink }) {
  return function answerError(ctx: Context, error: unknown): void {
    const problem = problemOf(error)
    if (problem.status >= 500) report(ctx, problem, error)
    ctx.set({ ...problem.headers })
    ctx.status = problem.status
    ctx.type = 'application/problem+json'
    const { status, code, detail, problems } = problem
    ctx.body = JSON.stringify({
      type: 'about:blank',
      title: STATUS_CODES[status] ?? 'Error',
      status,
      code,
      detail,
      ...(problems.length > 0 && { errors: problems }),
    })
  }

  function report(ctx: Context, { status, code }: ProblemDetails, thrown: unknown): void {
    const error = thrown instanceof Error ? thrown : new Error('a value that is not an Error was thrown')
    const where = { method: ctx.method, path: ctx.path, code }
    if (status === 503) {
      logger.warn(
        { ...where, reason: error.message },
        'a request to the management API was answered with 503',
      )
    } else if (status === 500) {
      logger.error({ err: error, ...where }, 'the management API failed')
      emitAppError(ctx, error)
    }
    events.emit('error', { error })
  }
}

/** The codes of requests with an `Idempotency-Key` that were not carried out. */
const REPEAT_CODES = {
  'invalid-key': 'ERR_IDEMPOTENCY_KEY',
  'other-body': 'ERR_IDEMPOTENCY_KEY',
  deleted: 'ERR_IDEMPOTENCY_KEY',
  'in-progress': 'ERR_IN_PROGRESS',
} as const satisfies Record<RepeatProblem, ApiErrorCode>

function problemOf(error: unknown): ProblemDetails {
  if (error instanceof RepeatError) {
    const isInProgress = error.problem === 'in-progress'
    const headers: Record<string, string> = isInProgress ? { 'Retry-After': '1' } : {}
    return problemOf(new ApiError(REPEAT_CODES[error.problem], error.message, { headers }))
  }
  if (error instanceof ApiError) {
    const { status, code, message, problems, headers } = error
    return { status, code, detail: message, problems, headers }
  }
  if (!(error instanceof GatehouseError)) return unknownProblem('ERR_INTERNAL')
  const { code, problems, headers } = error
  const status = STATUS[code] ?? error.status
  if (status === 500) return unknownProblem(code)
  if (status === 503) {
    return { status, code, detail: 'not available for the moment; try again', problems: [], headers }
  }
  // The message of an error with problems repeats them on further lines.
  const [detail = ''] = error.message.split('\n', 1)
  return { status, code, detail: problems.length > 0 ? detail.replace(/:$/, '') : detail, problems, headers }
}

/** The cause stays on our side. */
function unknownProblem(code: string): ProblemDetails {
  return { status: 500, code, detail: 'something went wrong on our side', problems: [], headers: {} }
}
