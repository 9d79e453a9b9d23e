/** What the bench asks the process that makes its requests, `test/foreign/bench/load.ts`. */

/** The requests to one candidate. */
export interface Load {
  /** The address. `:id` in it is replaced by another number for each request. */
  readonly url: string
  /** A file with one access token a line. They are sent in turn. */
  readonly tokens?: string | undefined
  /** A file with one form a line. They are sent in turn, by POST. */
  readonly forms?: string | undefined
  /**
   * Whether each response contains a new refresh token, which replaces the token in the form when the form is sent
   * again.
   */
  readonly refreshes?: boolean | undefined
}

export type LoadQuestion = 'saturate' | 'pace'

/** What to send, and when to stop. */
export interface Saturation {
  readonly load: Load
  readonly seconds: number
  /** Replaces `seconds`. */
  readonly amount?: number | undefined
}

/** How many requests were answered in how many seconds. */
export interface Answered {
  readonly requests: number
  readonly seconds: number
}

/** Requests in even intervals. */
export interface Pace {
  readonly load: Load
  readonly seconds: number
  /** Requests per second. */
  readonly rate: number
}

/** Latencies in milliseconds, from the sending of a request to the end of its response. */
export interface Latency {
  readonly rate: number
  readonly p50: number
  readonly p99: number
  readonly p999: number
}
