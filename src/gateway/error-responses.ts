import { formatWwwAuthenticate } from './www-authenticate.ts'
import { protectedResourceMetadataUrl } from './metadata.ts'

/** A request that is not let through, with the response that it gets. */
export interface ErrorResponse {
  readonly ok: false
  readonly status: 400 | 401 | 403 | 404 | 503
  /**
   * `invalid_request`, `invalid_token`, `insufficient_scope` (RFC 6750 3.1), `not_found` or
   * `temporarily_unavailable`; undefined where no token was sent.
   */
  readonly error?: string | undefined
  /** All headers of the response that say something about the rejection, by their usual names. */
  readonly headers: Readonly<Record<string, string>>
  /** JSON text: `{"error":"…","error_description":"…"}`; without `error` where no token was sent. */
  readonly body: string
}

/** Seconds until a client should try again what failed on our side. */
const RETRY_AFTER = 1

/**
 * The rejections of one API.
 *
 * @param audience {base_url}
 */
export function createErrorResponses(audience: string) {
  const realm = audience
  const resourceMetadata = protectedResourceMetadataUrl(audience).href

  return {
    /**
     * No token was sent. Neither the challenge nor the body has an error code (RFC 6750 3.1): nothing went
     * wrong yet.
     */
    missingToken(scopes: readonly string[]): ErrorResponse {
      const challenge = formatWwwAuthenticate({ realm, scopes, resourceMetadata })
      const description = 'send an access token in the header "Authorization: Bearer <ACCESS_TOKEN>"'
      return rejection(401, undefined, description, { 'WWW-Authenticate': challenge })
    },

    /** The token was not sent the way it must be. */
    invalidRequest(description: string): ErrorResponse {
      const error = 'invalid_request'
      const challenge = formatWwwAuthenticate({ realm, error, description, resourceMetadata })
      return rejection(400, error, description, { 'WWW-Authenticate': challenge })
    },

    /** The token is expired, malformed, revoked, or not one for this API. A fresh one may work. */
    invalidToken(description: string): ErrorResponse {
      const error = 'invalid_token'
      const challenge = formatWwwAuthenticate({ realm, error, description, resourceMetadata })
      return rejection(401, error, description, { 'WWW-Authenticate': challenge })
    },

    /** The token is good, but not for this. `scopes` is all that the request needs. */
    insufficientScope(scopes: readonly string[], missing: readonly string[]): ErrorResponse {
      const error = 'insufficient_scope'
      const description = `the access token does not carry the scope ${missing.join(' ')}`
      const challenge = formatWwwAuthenticate({ realm, error, description, scopes, resourceMetadata })
      return rejection(403, error, description, { 'WWW-Authenticate': challenge })
    },

    /** No operation claims the request. The same with and without a token, so it says nothing about tokens. */
    notFound(description = 'there is no operation with this method and path'): ErrorResponse {
      return rejection(404, 'not_found', description)
    },

    /** Something failed on our side; the token may be fine. */
    unavailable(): ErrorResponse {
      const description = 'access tokens cannot be checked at the moment; try again shortly'
      return rejection(503, 'temporarily_unavailable', description, { 'Retry-After': String(RETRY_AFTER) })
    },
  }
}

/** The rejections of one API. */
export type ErrorResponses = ReturnType<typeof createErrorResponses>

function rejection(
  status: ErrorResponse['status'],
  error: string | undefined,
  description: string,
  headers: Readonly<Record<string, string>> = {},
): ErrorResponse {
  return Object.freeze<ErrorResponse>({
    ok: false,
    status,
    error,
    headers: Object.freeze({
      ...headers,
      'Content-Type': 'application/json; charset=utf-8',
      'Cache-Control': 'no-store',
    }),
    body: JSON.stringify({ error, error_description: description }),
  })
}
