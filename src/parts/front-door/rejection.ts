import type { Problem } from '../../errors.ts'

/** HTTP status, and the code that programs read. */
export const REASONS = {
  query: [400, 'ERR_QUERY'],
  noRoute: [404, 'ERR_NO_ROUTE'],
  method: [405, 'ERR_METHOD'],
  signedOut: [401, 'ERR_NOT_SIGNED_IN'],
  forbidden: [403, 'ERR_FORBIDDEN'],
  confirm: [403, 'ERR_CONFIRM'],
  foreignPage: [403, 'ERR_CSRF'],
  csrfToken: [403, 'ERR_CSRF'],
  csrfExpired: [403, 'ERR_CSRF'],
  body: [400, 'ERR_BODY'],
  bodyTooLarge: [413, 'ERR_BODY_TOO_LARGE'],
  mediaType: [415, 'ERR_MEDIA_TYPE'],
  input: [422, 'ERR_INPUT'],
  unconditional: [422, 'ERR_INPUT'],
} as const

/** The console and the management API have a text for each reason. */
export type RejectionReason = keyof typeof REASONS

export interface RejectionDetails {
  /** Such as `GET, POST`, if the request has another method. */
  readonly allowed?: string | undefined
  /** A permission or operation that is missing, or the permission that must be confirmed. */
  readonly needs?: string | undefined
  /** If no permission is missing: the user to whom the API key belongs, or operators. */
  readonly limit?: 'owner' | 'operator' | undefined
  /** Where the caller signs in again, if the host demands it. */
  readonly confirmUrl?: string | undefined
  readonly part?: 'body' | 'query' | undefined
  readonly problems?: readonly Problem[] | undefined
}

/** A request that the front door rejects: `REASONS` has each status and code, such as 403 `ERR_CSRF`. */
export class Rejection extends Error {
  override readonly name = 'Rejection'
  readonly reason: RejectionReason
  readonly status: number
  readonly code: (typeof REASONS)[RejectionReason][1]
  readonly details: RejectionDetails

  constructor(reason: RejectionReason, details: RejectionDetails = {}) {
    super(reason)
    const [status, code] = REASONS[reason]
    this.reason = reason
    this.status = status
    this.code = code
    this.details = details
  }
}
