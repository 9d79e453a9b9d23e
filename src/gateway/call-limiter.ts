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
   * @returns the headers of the response; undefined if the call was not counted, and `count` must decide
   */
  countAtOnce(clientId: string): ResponseHeaders | undefined
  /** Counts a call, if it is within the limits of its client. Never rejects. */
  count(clientId: string): Promise<CountedCall>
}
