import { subjectOf } from '../host/subject.ts'
import type { Principal } from './principal.ts'

/** Headers of a response, by their usual names. */
export type ResponseHeaders = Readonly<Record<string, string>>

/** A call that was counted. */
export interface CountedCall {
  readonly headers: ResponseHeaders
  /** Undefined if the call is within the limits of its client. */
  readonly exceeded?: ExceededLimits | undefined
}

/** Limits that a call would pass. */
export interface ExceededLimits {
  /** The names of the limits in `RateLimit-Policy`. */
  readonly policies: readonly string[]
  /** Seconds after which a call may succeed. */
  readonly retryAfter: number
}

/** Limits the calls of clients. An optional part sets it. */
export interface CallLimiter {
  /**
   * Counts a call that is certainly within the limits of its client.
   *
   * @param user the subject of the user for whom the client calls; undefined for direct access
   * @returns the headers of the response; undefined if the call was not counted, and `count` must decide
   */
  countAtOnce(clientId: string, user?: string): ResponseHeaders | undefined
  /** Counts a call, if it is within the limits of its client. Never rejects. */
  count(clientId: string, user?: string): Promise<CountedCall>
}

/** The subject of the user for whom a client calls; undefined for direct access. */
export function userOf(principal: Principal): string | undefined {
  // The claim `sub` is the same, but would be decoded for each token, and kept with all other claims.
  return principal.mode === 'delegated' ? subjectOf(principal) : undefined
}
