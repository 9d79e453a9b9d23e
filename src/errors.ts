/**
 * Every error that this library throws on purpose carries one of these codes. They are part of the public
 * interface: match on `code`, never on `message`. The README lists what each one means and what to do.
 */
export type GatehouseErrorCode =
  | 'ERR_OPTIONS'
  | 'ERR_CATALOG'
  | 'ERR_INVALID_ARGUMENT'
  | 'ERR_NOT_FOUND'
  | 'ERR_CONFLICT'
  | 'ERR_SCOPE_TOO_LARGE'
  | 'ERR_REGISTRY_READ_ONLY'
  | 'ERR_SIGNING_KEYS_READ_ONLY'
  | 'ERR_HOST_CALLBACK'
  | 'ERR_STORE_UNAVAILABLE'
  | 'ERR_STORE_CORRUPT'
  | 'ERR_SECRET_MISMATCH'
  | 'ERR_NOT_READY'
  | 'ERR_CLOSED'
  | 'ERR_TOKEN_EXPIRED'
  | 'ERR_TOKEN_REVOKED'
  | 'ERR_TESTING_REFUSED'

const STATUS: Record<GatehouseErrorCode, number> = {
  ERR_OPTIONS: 500,
  ERR_CATALOG: 500,
  ERR_INVALID_ARGUMENT: 400,
  ERR_NOT_FOUND: 404,
  ERR_CONFLICT: 409,
  ERR_SCOPE_TOO_LARGE: 400,
  ERR_REGISTRY_READ_ONLY: 500,
  ERR_SIGNING_KEYS_READ_ONLY: 500,
  ERR_HOST_CALLBACK: 500,
  ERR_STORE_UNAVAILABLE: 503,
  ERR_STORE_CORRUPT: 500,
  ERR_SECRET_MISMATCH: 500,
  ERR_NOT_READY: 503,
  ERR_CLOSED: 503,
  ERR_TOKEN_EXPIRED: 401,
  ERR_TOKEN_REVOKED: 401,
  ERR_TESTING_REFUSED: 500,
}

/** One thing that is wrong with a value that was handed in. */
export interface Problem {
  /** Where it stands, written as in code: `products.invoices.operations['invoices:read'].route`. */
  readonly path: string
  /** What is wrong and what would be right, as a sentence without a full stop. */
  readonly message: string
}

/**
 * The one error class of this library. In a Koa app it may be thrown as it is: `status`, `expose` and
 * `headers` are Koa's.
 */
export class GatehouseError extends Error {
  override readonly name = 'GatehouseError'
  /** Stable identity of the error; match on this. */
  readonly code: GatehouseErrorCode
  /** HTTP status that fits, for Koa's error handling. */
  readonly status: number
  /** Whether Koa may show `message` to the client: true below 500. */
  readonly expose: boolean
  /** Headers that belong to the response; `Retry-After` (seconds) where trying again makes sense. */
  readonly headers: Readonly<Record<string, string>>
  /** All that is wrong, each with its path; empty where the message says it all. */
  readonly problems: readonly Problem[]

  constructor(
    code: GatehouseErrorCode,
    message: string,
    options: { cause?: unknown; problems?: readonly Problem[] | undefined } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.status = STATUS[code]
    this.expose = this.status < 500
    this.headers = this.status === 503 ? { 'Retry-After': '1' } : {}
    this.problems = options.problems ?? []
  }
}

/**
 * Gathers what is wrong with a value, so that all of it is reported at once.
 *
 * @throws {GatehouseError} from `throwIfAny()`, listing every problem on a line of its own
 */
export function collectProblems(code: GatehouseErrorCode, headline: string) {
  const problems: Problem[] = []
  return {
    problems,
    add(path: string, message: string): void {
      problems.push({ path, message })
    },
    throwIfAny(): void {
      if (problems.length === 0) return
      const lines = problems.map(({ path, message }) => `  - ${path}: ${message}`)
      throw new GatehouseError(code, [`${headline}:`, ...lines].join('\n'), { problems })
    },
  }
}

/**
 * Writes a path as in code: `['products', 'invoices', 'operations', 'invoices:read', 'route', 0]` becomes
 * `products.invoices.operations['invoices:read'].route[0]`.
 */
export function formatPath(keys: readonly (string | number)[]): string {
  return keys
    .map((key, index) => {
      if (typeof key === 'number') return `[${key}]`
      if (/^[A-Za-z_$][\w$]*$/.test(key)) return index === 0 ? key : `.${key}`
      return `['${JSON.stringify(key).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}']`
    })
    .join('')
}
