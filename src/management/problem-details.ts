import { STATUS_CODES } from 'node:http'
import type { Context } from 'koa'
import type { GatehouseErrorCode, Problem } from '../errors.ts'
import { createFailures, type Failure } from '../front-door/failure.ts'
import { REJECTIONS, SERVICE_ERRORS } from './problem-words.ts'

/**
 * Creates a function that answers a request with problem details (RFC 9457), and reports errors on our side. The status
 * comes from `front-door/failure.ts`, and the words from `problem-words.ts`.
 */
export function createErrorAnswers(parts: Parameters<typeof createFailures>[1]) {
  const fail = createFailures('a request to the management API', parts)
  return function answerError(ctx: Context, error: unknown): void {
    const failure = fail(ctx, error)
    const { status, code, problems, headers } = failure
    ctx.set({ ...headers })
    // The host decides how callers sign in. With the scheme `Bearer`, browsers do not ask for a password.
    if (status === 401) ctx.set('WWW-Authenticate', 'Bearer')
    ctx.status = status
    ctx.type = 'application/problem+json'
    ctx.body = JSON.stringify({
      type: 'about:blank',
      title: STATUS_CODES[status] ?? 'Error',
      status,
      code,
      detail: detailOf(ctx, failure),
      ...(failure.details.confirmUrl !== undefined && { confirmUrl: failure.details.confirmUrl }),
      ...(problems.length > 0 && { errors: problems.map(presentProblem) }),
    })
  }
}

/** A problem with its fields in the order of the OpenAPI document. */
function presentProblem({ path, code, message, min, max, expected }: Problem): Problem {
  return { path, code, message, min, max, expected }
}

function detailOf({ method }: Context, failure: Failure): string {
  const { status, code, reason, details, message, problems } = failure
  if (reason) {
    const words = REJECTIONS[reason]
    return typeof words === 'string' ? words : words({ ...details, method })
  }
  // The words for a code say nothing about single fields.
  const words = problems.length > 0 ? undefined : SERVICE_ERRORS[code as GatehouseErrorCode]
  if (message !== undefined) return words ?? message
  return status === 503 ? 'not available for the moment; try again' : 'something went wrong on our side'
}
