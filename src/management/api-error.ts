import type { Problem } from '../errors.ts'

/** The errors of the management API itself, with their HTTP status. The services have their own codes. */
const STATUS = {
  ERR_BODY: 400,
  ERR_QUERY: 400,
  ERR_NOT_SIGNED_IN: 401,
  ERR_FORBIDDEN: 403,
  ERR_CSRF: 403,
  ERR_NO_ROUTE: 404,
  ERR_METHOD: 405,
  ERR_IN_PROGRESS: 409,
  ERR_CHANGED: 412,
  ERR_BODY_TOO_LARGE: 413,
  ERR_MEDIA_TYPE: 415,
  ERR_INPUT: 422,
  ERR_IDEMPOTENCY_KEY: 422,
} as const

export type ApiErrorCode = keyof typeof STATUS

/** An error of the management API, whose message the caller may read. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: ApiErrorCode
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly problems: readonly Problem[]

  constructor(
    code: ApiErrorCode,
    message: string,
    { headers = {}, problems = [] }: Partial<Pick<ApiError, 'headers' | 'problems'>> = {},
  ) {
    super(message)
    this.code = code
    this.status = STATUS[code]
    this.headers = headers
    this.problems = problems
  }
}
