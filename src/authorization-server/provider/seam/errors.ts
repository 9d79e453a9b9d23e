import { errors } from 'oidc-provider'

/**
 * The browser gets this error directly, because an application would only send it back with the same request.
 *
 * Relies on: oidc-provider responds to an error without `allow_redirect` with its `statusCode`, and does not report
 * one with `expose` as a server error.
 */
export class NotNow extends errors.OIDCProviderError {
  override readonly allow_redirect = false
  override readonly error_description: string
  readonly retryAfter: number

  constructor(status: 429 | 503, description: string, retryAfter: number) {
    super(status, 'temporarily_unavailable')
    this.error_description = description
    this.retryAfter = retryAfter
    this.expose = true
  }
}

export function notRedirected<T extends Error>(error: T): T {
  return Object.assign(error, { allow_redirect: false })
}
