import { STATUS_CODES } from 'node:http'
import type { Context } from 'koa'
import type { GatehouseErrorCode } from '../../errors.ts'
import { createFailures, type Failure } from '../front-door/error-status.ts'
import type { RejectionDetails, RejectionReason } from '../front-door/rejection.ts'
import { TOO_MANY_PARAMETERS } from '../../http/query-limit.ts'
import * as json from '../../validation/json-rules.ts'
import { valueOf } from '../../validation/rules.ts'
import { MAX_JSON_BODY_BYTES } from './read-body-and-query.ts'

/** Problem details (RFC 9457). */
export const Problem = json.object({
  type: json.text,
  title: json.text,
  status: json.integer(),
  code: json.text,
  detail: json.text,
  confirmUrl: json.optional(json.text, 'With `ERR_CONFIRM`: the page where the caller signs in again'),
  errors: json.optional(
    json.array(
      json.object({
        path: json.text,
        code: json.described(json.text, 'What is wrong: `required`, `too-long`, …'),
        message: json.text,
        min: json.optional(json.number),
        max: json.optional(json.number),
        expected: json.optional(json.text),
      }),
    ),
  ),
})

/** Answers with problem details (RFC 9457), with the words for each code. `front-door/error-status.ts` decides the status. */
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
    const details = {
      type: 'about:blank',
      title: STATUS_CODES[status] ?? 'Error',
      status,
      code,
      detail: detailOf(ctx, failure),
      confirmUrl: failure.details.confirmUrl,
      errors: problems.length > 0 ? problems : undefined,
    }
    ctx.body = JSON.stringify(valueOf(Problem, details))
  }
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

const WHO = { owner: 'the user to whom the API key belongs', operator: 'operators and the code of the host' }

const REJECTIONS: Record<
  RejectionReason,
  string | ((details: RejectionDetails & { method: string }) => string)
> = {
  query: TOO_MANY_PARAMETERS,
  noRoute: 'there is no such route',
  method: ({ method, allowed }) => `${method} is not supported here; use ${allowed}`,
  signedOut: 'sign in first',
  forbidden: ({ needs, limit }) =>
    limit ? `only ${WHO[limit]} may do this` : `this needs the permission ${needs}`,
  confirm: ({ needs }) =>
    `this needs a fresh sign-in (${needs}): open confirmUrl in a browser, sign in again, and repeat the request`,
  foreignPage:
    'this request does not come from a page of this site: send Sec-Fetch-Site: same-origin, or Origin with the address of this site',
  csrfToken:
    'the header X-CSRF-Token must have the csrfToken of GET /session, and the request must have the cookie that GET /session set',
  csrfExpired: 'the csrfToken is more than 24 hours old: get a new one from GET /session',
  body: 'the body is not JSON, or is not an object',
  bodyTooLarge: `a body may have at most ${MAX_JSON_BODY_BYTES} bytes`,
  mediaType: 'send JSON with Content-Type: application/json',
  input: ({ part }) => `the ${part} is not valid`,
  unconditional: 'this request cannot depend on an ETag: send it without If-Match',
}

/** The words of the API for errors whose messages name methods or options of the library. */
const SERVICE_ERRORS: Partial<Record<GatehouseErrorCode, string>> = {
  ERR_CONFLICT: 'too many changes were made at the same time: send this request again',
  ERR_IN_PROGRESS:
    'another request with this Idempotency-Key is in progress: send this request again after a second',
  ERR_TWO_SECRETS:
    'two secrets are valid already: first revoke one of them with DELETE …/secrets/old or DELETE …/secrets/new, or send "overlapSeconds": 0, which revokes both at once',
  ERR_ONE_SECRET:
    'the client would have no secret and no key: first add another one with POST …/secrets or POST …/keys, or disable the client with POST …/disable',
  ERR_SECRETS_CHANGED:
    'the secrets were changed since the first request with this Idempotency-Key: read them with GET …/secrets, and rotate with another Idempotency-Key',
  ERR_SIGNING_KEYS_READ_ONLY:
    'the signing keys are configured in the app: this API cannot rotate them, or revoke a key that signs',
  ERR_TOO_MANY_CLIENTS:
    'the account has as many API keys and applications as it may have: first delete one with DELETE /api-keys/{clientId} or DELETE /applications/{clientId}',
}
