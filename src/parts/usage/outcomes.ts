import type { RejectionReason } from '../../gateway/error-responses.ts'

const ACCEPTED_OUTCOMES = ['ok', 'client_error', 'server_error', 'aborted', 'accepted'] as const

const REJECTION_OUTCOMES = [
  'missing_token',
  'invalid_request',
  'invalid_token',
  'expired_token',
  'revoked_token',
  'insufficient_scope',
  'address_not_allowed',
  'rate_limited',
  'not_found',
  'unavailable',
] as const satisfies readonly RejectionReason[]

/** What can become of a token request, besides `invalid_request`. The errors are those of RFC 6749 5.2. */
const TOKEN_OUTCOMES = [
  'issued',
  'client_disabled',
  'client_expired',
  'invalid_client',
  'invalid_grant',
  'invalid_scope',
  'invalid_target',
  'unauthorized_client',
  'unsupported_grant_type',
  'other_error',
] as const

/** All outcomes, in a fixed order. */
export const OUTCOMES = [...ACCEPTED_OUTCOMES, ...REJECTION_OUTCOMES, ...TOKEN_OUTCOMES] as const

/**
 * What became of an API call or a token request.
 *
 * - `ok`: the API answered with a status below 400. `client_error`: with a status from 400 to 499. `server_error`: with
 *   500 or more. `aborted`: the connection was closed before the API answered.
 * - `accepted`: `gateway.authenticate()` accepted the call; the answer of the API is not known.
 * - A reason of a gateway: it rejected the call (`RejectionReason`).
 * - `issued`: the token endpoint issued an access token. `client_disabled`, `client_expired`: the token endpoint
 *   rejected the request of a client that is disabled or has expired. `invalid_client` and further errors of OAuth:
 *   it rejected the request. `other_error`: another error of the token endpoint.
 */
export type Outcome = (typeof OUTCOMES)[number]

/** The result of a call: successful, rejected because of the caller (4xx), or failed because of the service (5xx). */
export type Result = 'successful' | 'rejected' | 'failed'

export function resultOf(outcome: Outcome): Result {
  if (outcome === 'ok' || outcome === 'accepted' || outcome === 'issued') return 'successful'
  return ['server_error', 'unavailable', 'aborted'].includes(outcome) ? 'failed' : 'rejected'
}

const KNOWN = new Set<unknown>(OUTCOMES)
export const isOutcome = (value: unknown): value is Outcome => KNOWN.has(value)

const OF_TOKENS = new Set<string>(TOKEN_OUTCOMES)
/** Not for `invalid_request`, which API calls have too. */
export const isTokenOutcome = (value: string): boolean => OF_TOKENS.has(value)

export function outcomeOfStatus(status: number): Outcome {
  if (status < 400) return 'ok'
  return status < 500 ? 'client_error' : 'server_error'
}

/** What is successful, rejected or failed, also of token requests. @param error the error of RFC 6749 5.2 */
export function outcomeOfTokenError(error: string, reason: string | undefined): Outcome {
  if (error === 'invalid_client' && reason === 'expired') return 'client_expired'
  if (error === 'invalid_client' && reason?.startsWith('disabled')) return 'client_disabled'
  const known = [...TOKEN_OUTCOMES, 'invalid_request' as const].find((outcome) => outcome === error)
  return known === undefined || known === 'issued' ? 'other_error' : known
}

/** The operation of token requests. Names with a space never equal a scope, so no operation of the catalog has them. */
export const TOKEN_REQUEST = 'POST /oauth2/token'

export const OTHER_OPERATION = 'other operations'

/** The operation of calls beyond the bound of operations, so it is not known which operations were called. */
export const FURTHER_OPERATIONS = 'further operations'

/** An operation in the totals: there were clients beyond the bound of clients, so it is not known what they called. */
export const FURTHER_CLIENTS = 'further clients'
