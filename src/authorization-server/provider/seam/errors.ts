import { errors } from 'oidc-provider'

/**
 * A request that cannot be served for the moment. The error is answered directly and not redirected to the
 * application, which would only send the browser back.
 *
 * Relies on: oidc-provider redirects an error to the application unless `allow_redirect` is false. Otherwise it
 * answers with `statusCode`, and an exposed error is not reported as a server error.
 */
export class NotNow extends errors.OIDCProviderError {
  override readonly allow_redirect = false
  override readonly error_description: string
  /** Seconds. */
  readonly retryAfter: number

  constructor(status: 429 | 503, description: string, retryAfter: number) {
    super(status, 'temporarily_unavailable')
    this.error_description = description
    this.retryAfter = retryAfter
    this.expose = true
  }
}

/** Prevents an error from being redirected to the application. Relies on: the same as {@link NotNow}. */
export function notRedirected<T extends Error>(error: T): T {
  return Object.assign(error, { allow_redirect: false })
}
