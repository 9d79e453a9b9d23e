/** The HTTP status of each error code. */
export const STATUS = {
  /**
   * The options are wrong. Thrown at construction, and after a function has loaded products whose routes repeat the path
   * of `audience`. Remedy: read `problems`, which has the path and the fix of each problem.
   */
  ERR_OPTIONS: 500,
  /** The products are invalid. Remedy: read `problems`. After a `reload()` the last valid products stay active. */
  ERR_CATALOG: 500,
  /** A method was called with invalid input. Remedy: read `problems`. */
  ERR_INVALID_ARGUMENT: 400,
  /**
   * No API key, application, grant or signing key has this id. Remedy: check the id and the kind of the client (API key
   * or application).
   */
  ERR_NOT_FOUND: 404,
  /**
   * The client id is taken, or a file is imported into a store that has other signing keys, or too many changes were
   * made at the same time. Remedy: the message says what to do first.
   */
  ERR_CONFLICT: 409,
  /**
   * A secret cannot be rotated, because the client has two valid secrets. Remedy: revoke one of the two secrets first.
   */
  ERR_TWO_SECRETS: 409,
  /**
   * The new secret cannot be revoked, because the client has no other valid secret. Remedy: rotate the secret without
   * an overlap.
   */
  ERR_ONE_SECRET: 409,
  /** An operator disabled the client, so only an operator may enable it. Remedy: ask an operator. */
  ERR_DISABLED_BY_OPERATOR: 409,
  /** The secrets were changed since the first attempt of a repeatable rotation. Remedy: begin a new rotation. */
  ERR_SECRETS_CHANGED: 409,
  /** Tokens would not fit a request header. Remedy: remove operations, or split the products between clients. */
  ERR_SCOPE_TOO_LARGE: 400,
  /**
   * The account has as many API keys and applications as `maxClientsPerAccount` permits. Remedy: delete some of them,
   * or raise the option.
   */
  ERR_TOO_MANY_CLIENTS: 422,
  /**
   * A change with this idempotency key is in progress, or the grants of a blocked host are still being deleted.
   * Remedy: try again in a second.
   */
  ERR_IN_PROGRESS: 409,
  /**
   * The idempotency key is not valid, was used with another input, or its client or secret no longer exists. Remedy:
   * use a new key for a new change.
   */
  ERR_IDEMPOTENCY_KEY: 422,
  /** The client was changed since it was read. Remedy: read the client again, and decide again. */
  ERR_CHANGED: 412,
  /** The host manages the signing keys itself (`signingKeys.jwks`). Remedy: change the JWK Set. */
  ERR_SIGNING_KEYS_READ_ONLY: 500,
  /** A function of the host (`accounts`) returned an invalid value. The message names the function. */
  ERR_HOST_CALLBACK: 500,
  /** The store does not answer. Remedy: try again, and check the store. */
  ERR_STORE_UNAVAILABLE: 503,
  /** A stored record is corrupt. Remedy: find the program that writes the same keys. The message names the key. */
  ERR_STORE_CORRUPT: 500,
  /** Stored data was encrypted with another `secret`. Remedy: pass both secrets: `secret: [new, old]`. */
  ERR_SECRET_MISMATCH: 500,
  /**
   * The client metadata document, or the keys, of an application cannot be fetched at the moment. Remedy: try again.
   * The message says what happened.
   */
  ERR_DOCUMENT_UNAVAILABLE: 503,
  /** Products, keys or revocations are not loaded yet. Remedy: wait for `ready()`, or try again. */
  ERR_NOT_READY: 503,
  /** `close()` was called. Remedy: create a new gatehouse. */
  ERR_CLOSED: 503,
  /**
   * `mintToken` received a store that is not in memory. Remedy: use `memoryStore()`, or `allowPersistentStore` in
   * tests.
   */
  ERR_PERSISTENT_STORE: 500,
} as const

/**
 * The codes of all errors that this library throws on purpose. The codes are part of the public interface. To
 * recognize an error, compare `code`, never `message`.
 */
export type GatehouseErrorCode = keyof typeof STATUS

/** What is wrong with a value. Later versions may add codes: treat an unknown code as `format`. */
export type ProblemCode =
  /** There is no value. */
  | 'required'
  /** There is no field of this name. */
  | 'unknown'
  /** The value is of another kind, such as a number instead of a text. */
  | 'type'
  /** The text, the list or the object is empty. */
  | 'empty'
  /** The value does not have the valid form; `message` describes it. */
  | 'format'
  /** The value is not one of the few valid values. */
  | 'choice'
  /** The number is not between `min` and `max`. */
  | 'range'
  /** The time is not in the future. */
  | 'too-early'
  /** The time is more than `max` days ahead. */
  | 'too-late'
  /** The text has more than `max` characters. */
  | 'too-long'
  /** The list has more than `max` entries. */
  | 'too-many'
  /** The text contains line breaks, control characters, or characters that hide or reverse text. */
  | 'characters'
  /** The same value occurs twice. */
  | 'duplicate'
  /** The value names something that does not exist, such as a product. */
  | 'not-found'
  /** The value is valid on its own, but not in this place, or not together with another value. */
  | 'not-allowed'
  /** The text is neither an IP address nor a network. */
  | 'network'
  /** The network contains every address. */
  | 'network-all'
  /** The network is not in its one valid form, which is `expected`. */
  | 'network-spelling'
  /** The text is not an absolute URL. */
  | 'url'
  /** The URL contains white space or invisible characters. */
  | 'url-characters'
  /** The URL does not start with `https://`. */
  | 'url-https'
  /** The URL does not start with `https://`, and its host is not the local machine. */
  | 'url-https-or-loopback'
  /** The URL of the local machine starts with `https://` instead of `http://`. */
  | 'url-http'
  /** The URL leads neither to `https://`, nor to the local machine, nor to a private-use scheme (RFC 8252 7). */
  | 'url-redirect'
  /** The URL contains a user name or password. */
  | 'url-credentials'
  | 'url-fragment'
  | 'url-wildcard'
  /** The URL is not in the spelling that browsers use. `expected` is that spelling. */
  | 'url-spelling'
  /** All URLs of an application together have more than `max` characters. */
  | 'urls-too-long'
  /** The text is not an origin, such as `https://app.example.com`. */
  | 'origin'
  /** A public application cannot have the value. */
  | 'public-application'
  /** A first-party application that is public may have only redirect URIs with `https://`. */
  | 'first-party'
  /** The value is neither a JWK nor a text in PEM format. */
  | 'public-key'
  /** The value is a private key, where a public key is expected. */
  | 'private-key'
  /** The private key of this public key was reported as leaked. */
  | 'key-leaked'
  /** The key has another type, curve, size, use or algorithm than is allowed. */
  | 'key-type'

/** One problem of an input value. */
export interface Problem {
  /** Path of the value, written as in code: `products.invoices.operations['invoices:read'].route`. */
  readonly path: string
  /** What is wrong. Compare this field, never `message`. */
  readonly code: ProblemCode
  /** What is wrong and what is valid, as a sentence without a full stop. */
  readonly message: string
  /** The lowest valid number, if the code is `range`. */
  readonly min?: number | undefined
  /**
   * The highest valid number, if the code is `range`; the highest valid length, if the code says that something is too
   * long.
   */
  readonly max?: number | undefined
  /** The valid spelling, if the code is `url-spelling` or `network-spelling`. */
  readonly expected?: string | undefined
}

/** What is wrong with one value, without the path of the value. */
export type Fault = Omit<Problem, 'path'>

/**
 * The only error class of this library. A Koa app may throw it unchanged: Koa reads `status`, `expose` and
 * `headers`.
 */
export class GatehouseError extends Error {
  override readonly name = 'GatehouseError'
  /** The stable code of the error. Compare this field to recognize an error. */
  readonly code: GatehouseErrorCode
  /** The HTTP status for Koa's error handling. */
  readonly status: number
  /** Whether Koa may show `message` to the client: true below 500. */
  readonly expose: boolean
  /** Headers of the response: `Retry-After` (seconds) if a later try may succeed, otherwise none. */
  readonly headers: Readonly<Record<string, string>>
  /** All problems, each with its path; empty if `message` alone describes the error. */
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
    this.headers = this.status === 503 || code === 'ERR_IN_PROGRESS' ? { 'Retry-After': '1' } : {}
    this.problems = options.problems ?? []
  }
}

/** For one invalid argument. @param headline what failed, with a colon and a space */
export function invalidArgument(path: string, fault: Fault, headline = ''): GatehouseError {
  const message = `${headline}${path} ${fault.message}`
  return new GatehouseError('ERR_INVALID_ARGUMENT', message, { problems: [{ path, ...fault }] })
}

/** For a database that cannot be reached or cannot answer. @param message quotes no key, no value and no credentials */
export function storeUnavailable(message: string, cause?: unknown): GatehouseError {
  return new GatehouseError('ERR_STORE_UNAVAILABLE', message, { cause })
}

/** @param name of the store, such as `Redis` */
export function storeClosed(name: string): GatehouseError {
  return new GatehouseError('ERR_CLOSED', `the ${name} store has been closed`)
}

/** Whether an error is an error of this library with one of these codes. */
export function hasCode(error: unknown, ...codes: readonly GatehouseErrorCode[]): error is GatehouseError {
  return error instanceof GatehouseError && codes.includes(error.code)
}

/** Whether the store could not be reached, or did not answer in time. */
export function isStoreUnavailable(error: unknown): error is GatehouseError {
  return hasCode(error, 'ERR_STORE_UNAVAILABLE')
}

/** Whether an error says that a change was rejected, so that nothing was changed. */
export function isRejection(error: unknown): boolean {
  const { status } = Object(error) as { status?: unknown }
  return typeof status === 'number' && status < 500
}

/**
 * Another service does not know the key or the user of this process, or gives it too few permissions. It stays so until
 * an operator acts.
 */
export class CredentialsRejectedError extends GatehouseError {}

/** Whether credentials were rejected, also if the error of a circuit breaker has this as its cause. */
export function areCredentialsRejected(error: unknown): boolean {
  if (error instanceof CredentialsRejectedError) return true
  return error instanceof GatehouseError && areCredentialsRejected(error.cause)
}

/**
 * Collects the problems of a value, so that all of them are reported at once.
 *
 * @param found problems that are known already
 * @throws {GatehouseError} from `throwIfAny()`, if there are problems. Its message has a line for each
 *   problem
 */
export function collectProblems(code: GatehouseErrorCode, headline: string, found: readonly Problem[] = []) {
  const problems = [...found]
  return {
    add(path: string, found: string | Fault): void {
      problems.push({ path, ...toFault(found) })
    },
    throwIfAny(): void {
      if (problems.length === 0) return
      const lines = problems.map(({ path, message }) => `  - ${path}: ${message}`)
      throw new GatehouseError(code, [`${headline}:`, ...lines].join('\n'), { problems })
    },
  }
}

/** A sentence without a code gets the code `format`, because such a sentence describes the valid form. */
export function toFault(found: string | Fault): Fault {
  return typeof found === 'string' ? { code: 'format', message: found } : found
}

/** Writes one key of a path as in code, to be appended to the path before it: `.route`, `['invoices:read']`, `[0]`. */
export function formatKey(key: string | number): string {
  if (typeof key === 'number') return `[${key}]`
  if (/^[A-Za-z_$][\w$]*$/.test(key)) return `.${key}`
  return `['${JSON.stringify(key).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}']`
}
