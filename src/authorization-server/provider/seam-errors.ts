import { errors } from 'oidc-provider'

/**
 * A request that cannot be answered now. It is answered here and not sent to the application, which would only send
 * the browser again.
 *
 * Relies on: an error is sent to the application unless `allow_redirect` is false, with `statusCode` else, and is no
 * failure of ours if it is to be exposed.
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

/** Keeps an error from being sent to the application. Relies on: as above. */
export function notRedirected<T extends Error>(error: T): T {
  return Object.assign(error, { allow_redirect: false })
}
