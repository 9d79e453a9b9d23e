import { describeAddress } from '../http/client-address.ts'
import { describeInvalidToken } from './token-problem.ts'
import { protectedResourceMetadataUrl } from './well-known.ts'

export type RejectionReason =
  | 'missing_token'
  /** The token was not sent as RFC 6750 requires. */
  | 'invalid_request'
  /** The token is malformed, has a wrong signature, or is for another API. */
  | 'invalid_token'
  | 'expired_token'
  | 'revoked_token'
  | 'insufficient_scope'
  | 'address_not_allowed'
  /** No operation has the method and path of the request. */
  | 'not_found'
  /** The client has made as many calls as its limits permit. */
  | 'rate_limited'
  /** The gateway could not check the token. */
  | 'unavailable'

export type ResponseHeaders = Readonly<Record<string, string>>

export interface ExceededLimits {
  /** As in `RateLimit-Policy`. */
  readonly policies: readonly string[]
  /** Seconds. */
  readonly retryAfter: number
}

/** The response to a rejected request. */
export interface ErrorResponse {
  readonly ok: false
  readonly status: 400 | 401 | 403 | 404 | 429 | 503
  readonly reason: RejectionReason
  /** The API key or application. Undefined if the token was not sent, or its signature was not verified. */
  readonly clientId?: string | undefined
  /**
   * `invalid_request`, `invalid_token`, `insufficient_scope` (RFC 6750 3.1), `access_denied` (the caller has an address
   * that its client does not allow), `not_found`, `too_many_requests` or `temporarily_unavailable`; undefined if no
   * token was sent.
   */
  readonly error?: string | undefined
  /** The headers of the response, by their usual names. */
  readonly headers: Readonly<Record<string, string>>
  /** JSON text: `{"error":"…","error_description":"…"}`; without `error` if no token was sent. */
  readonly body: string
}

/** The responses to rejected calls (400, 401, 403, 404, 429, 503) and `Retry-After`. `audience` is {base_url}. */
export function createErrorResponses(audience: string) {
  const metadataUrl = protectedResourceMetadataUrl(audience).href

  /** The challenge names the address of the metadata (RFC 9728 5.1). */
  function challenge(
    status: 400 | 401 | 403,
    rejection: Rejection,
    error: string | undefined,
    description: string,
    scopes: readonly string[] = [],
  ): ErrorResponse {
    const parameters = {
      realm: audience,
      error,
      error_description: error && description,
      scope: scopes.join(' '),
      resource_metadata: metadataUrl,
    }
    return errorResponse(status, rejection, error, description, {
      'WWW-Authenticate': formatWwwAuthenticate(parameters),
    })
  }

  return {
    /** Without an error code (RFC 6750 3.1): the client may not know yet that a token is required. */
    missingToken(scopes: readonly string[]): ErrorResponse {
      const description = 'send an access token in the header "Authorization: Bearer <ACCESS_TOKEN>"'
      return challenge(401, { reason: 'missing_token' }, undefined, description, scopes)
    },

    invalidRequest: (problem: string) =>
      challenge(400, { reason: 'invalid_request' }, 'invalid_request', problem),

    invalidToken(token: Parameters<typeof describeInvalidToken>[0]): ErrorResponse {
      const { problem, clientId } = token
      const reason =
        problem === 'expired' ? 'expired_token' : problem === 'revoked' ? 'revoked_token' : 'invalid_token'
      return challenge(401, { reason, clientId }, 'invalid_token', describeInvalidToken(token))
    },

    insufficientScope(
      clientId: string,
      scopes: readonly string[],
      missing: readonly string[],
    ): ErrorResponse {
      const description = `the access token does not carry the scope ${missing.join(' ')}`
      const rejection: Rejection = { reason: 'insufficient_scope', clientId }
      return challenge(403, rejection, 'insufficient_scope', description, scopes)
    },

    /** There is no challenge, because no other token of the client would work. */
    addressNotAllowed(clientId: string, address: string | undefined): ErrorResponse {
      const rejection: Rejection = { reason: 'address_not_allowed', clientId }
      return errorResponse(403, rejection, 'access_denied', describeAddress(address))
    },

    notFound(description = 'there is no operation with this method and path'): ErrorResponse {
      return errorResponse(404, { reason: 'not_found' }, 'not_found', description)
    },

    /** A problem document of the type `quota-exceeded` (draft-ietf-httpapi-ratelimit-headers-11). */
    tooManyCalls(clientId: string, exceeded: ExceededLimits, headers: ResponseHeaders): ErrorResponse {
      const description = 'this client has made as many calls as it may make; try again after Retry-After'
      const problem = {
        type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
        title: 'Too many calls',
        status: 429,
        'violated-policies': exceeded.policies,
      }
      const rejection: Rejection = { reason: 'rate_limited', clientId }
      const all = {
        ...headers,
        'Retry-After': String(exceeded.retryAfter),
        'Content-Type': 'application/problem+json',
      }
      return errorResponse(429, rejection, 'too_many_requests', description, all, problem)
    },

    /** The token may be valid. */
    unavailable(): ErrorResponse {
      const description = 'access tokens cannot be checked at the moment; try again shortly'
      const rejection: Rejection = { reason: 'unavailable' }
      return errorResponse(503, rejection, 'temporarily_unavailable', description, { 'Retry-After': '1' })
    },
  }
}

export type ErrorResponses = ReturnType<typeof createErrorResponses>

type Rejection = Pick<ErrorResponse, 'reason' | 'clientId'>

function errorResponse(
  status: ErrorResponse['status'],
  { reason, clientId }: Rejection,
  error: string | undefined,
  description: string,
  headers: Readonly<Record<string, string>> = {},
  problem: object = {},
): ErrorResponse {
  return Object.freeze<ErrorResponse>({
    ok: false,
    status,
    reason,
    clientId,
    error,
    headers: Object.freeze({
      'Content-Type': 'application/json; charset=utf-8',
      'Cache-Control': 'no-store',
      ...headers,
    }),
    body: JSON.stringify({ ...problem, error, error_description: description }),
  })
}

/** RFC 6750 3. A parameter without a value, or with an empty one, is left out. */
export function formatWwwAuthenticate(parameters: Readonly<Record<string, string | undefined>>): string {
  const written = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : `${name}="${quotable(value)}"`,
  )
  return `Bearer ${written.join(', ')}`
}

/** No value may end its quotes or the header (RFC 6750 3). */
function quotable(value: string): string {
  return value.replaceAll(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, '?')
}
