import { STATUS_CODES } from 'node:http'
import type { Context } from 'koa'
import { createFailures, type Failure } from '../front-door/failure.ts'
import type { RejectionDetails, RejectionReason } from '../front-door/rejection.ts'
import { TOO_MANY_PARAMETERS } from '../http/query-limit.ts'
import { MAX_BODY_BYTES } from './read-input.ts'

/** Creates a function that answers a request with problem details (RFC 9457), and reports errors on our side. */
export function createErrorAnswers(parts: Parameters<typeof createFailures>[1]) {
  const fail = createFailures('a request to the management API', parts)
  return function answerError(ctx: Context, error: unknown): void {
    const failure = fail(ctx, error)
    const { status, code, problems, headers } = failure
    ctx.set({ ...headers })
    ctx.status = status
    ctx.type = 'application/problem+json'
    ctx.body = JSON.stringify({
      type: 'about:blank',
      title: STATUS_CODES[status] ?? 'Error',
      status,
      code,
      detail: detailOf(ctx, failure),
      ...(problems.length > 0 && { errors: problems }),
    })
  }
}

function detailOf({ method }: Context, { status, reason, details, message }: Failure): string {
  if (reason) {
    const words = WORDS[reason]
    return typeof words === 'string' ? words : words({ ...details, method })
  }
  if (message !== undefined) return message
  return status === 503 ? 'not available for the moment; try again' : 'something went wrong on our side'
}

/** What the API says about each rejection. */
const WORDS: Record<RejectionReason, string | ((details: RejectionDetails & { method: string }) => string)> =
  {
    query: TOO_MANY_PARAMETERS,
    noRoute: 'there is no such route',
    method: ({ method, allowed }) => `${method} is not supported here; use ${allowed}`,
    signedOut: 'sign in first',
    forbidden: ({ needs }) =>
      needs === 'operator' ? 'only operators may do this' : `this needs the permission ${needs}`,
    foreignPage:
      'this request does not come from a page of this site: send Sec-Fetch-Site: same-origin, or Origin with the address of this site',
    csrfToken:
      'the header X-CSRF-Token must have the csrfToken of GET /session, and the request must have the cookie that GET /session set',
    csrfExpired: 'the csrfToken is more than 24 hours old: get a new one from GET /session',
    body: 'the body is not JSON, or is not an object',
    bodyTooLarge: `a body may have at most ${MAX_BODY_BYTES} bytes`,
    mediaType: 'send JSON with Content-Type: application/json',
    input: ({ part }) => `the ${part} is not valid`,
    unconditional: 'this request cannot depend on an ETag: send it without If-Match',
  }
