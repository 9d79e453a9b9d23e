import type { Middleware } from 'koa'
import type { AuditTrail } from '../audit/read-trail.ts'
import type { Gateway } from '../gateway/gateway.ts'
import type { Health } from '../health/health-report.ts'
import type { EventSource } from '../host/events.ts'
import type { WebServer } from '../host/open-connections.ts'
import type { ShutdownOptions } from '../host/shutdown.ts'
import type { SigningKeys } from '../keys/signing-keys.ts'
import type { ApiKeys } from '../clients/api-keys.ts'
import type { Applications } from '../clients/applications.ts'
import type { ClientDocuments } from '../clients/documents/document-service.ts'
import type { Hygiene } from '../clients/hygiene.ts'
import type { Secrets } from '../clients/leaked-secrets.ts'
import type { AccountService } from '../access/account-changes.ts'
import type { Grants } from '../grants/grant-service.ts'
import type { Tokens } from '../access/token-service.ts'

/** A gatehouse with any products. The functions of the optional parts accept it. */
export type AnyGatehouse = Pick<Gatehouse, 'middleware' | 'ready'>

/** The gateway of the API, with the gateways of the other resources. */
export interface GatehouseGateway<Scope extends string = string> extends Gateway<Scope> {
  /**
   * The gateway of a resource, which guards everything below the address of the resource. It has only the operations of
   * the resource's products, and accepts only tokens for the resource. Each call with the same address returns the same
   * gateway; for `audience` it is this gateway. They share hooks for usage and limits, and `shutdown()` of one stops
   * the whole gatehouse. `selectByHost()` combines the middlewares of resources with the same path.
   *
   * @param resource `audience`, or a key of `resources`
   * @throws {GatehouseError} `ERR_INVALID_ARGUMENT` for any other address
   */
  for(resource: string): Gateway<Scope>
}

/** A token service and API gateway inside a Koa app. */
export interface Gatehouse<Scope extends string = string, Product extends string = string>
  extends EventSource, AsyncDisposable {
  /** Serves everything below the address of the service ({auth_url}), and the well-known documents. */
  middleware(): Middleware
  /**
   * Serves the well-known documents at the root of a host (RFC 8414 3.1, RFC 9728 3.1). An app needs this
   * middleware if it mounts `middleware()` below a path, because `middleware()` then does not receive
   * requests at the root.
   */
  wellKnown(): Middleware
  /** Protects the API. `gateway.for(resource)` protects another resource. */
  readonly gateway: GatehouseGateway<Scope>
  /** Credentials for direct access. */
  readonly apiKeys: ApiKeys<Scope, Product>
  /** Credentials for delegated access. */
  readonly applications: Applications<Scope, Product>
  /** Finds the clients of secrets that leaked, and revokes them. */
  readonly secrets: Secrets
  /** Finds API keys and applications that need attention. */
  readonly hygiene: Hygiene
  /** The applications with client metadata documents. Its methods need the option `clientDocuments`. */
  readonly clientDocuments: ClientDocuments
  /** The grants: what accounts have authorized applications to do. */
  readonly grants: Grants
  /** Revokes access tokens before they expire. */
  readonly tokens: Tokens
  /** The keys that sign tokens. They rotate on schedule, unless the host manages them. */
  readonly signingKeys: SigningKeys
  /** The methods that the host calls after its accounts have changed. */
  readonly accounts: AccountService
  /** What was done, by whom, and from where. */
  readonly audit: AuditTrail
  /** The products and operations. */
  readonly catalog: {
    /**
     * Reloads the products if they come from a function. This process reloads at once. Other processes on the
     * same store reload within a moment, or within a minute if their connection to the store is disturbed.
     * Tokens with an operation that was removed from a product are revoked.
     *
     * @throws {GatehouseError} `ERR_CATALOG` with all problems if the new catalog is invalid, or `ERR_OPTIONS` if its
     *   routes repeat the path of `audience`; the last valid catalog then stays active. `ERR_STORE_UNAVAILABLE` if the
     *   store is unavailable. This process then already rejects removed operations, but new operations may be missing.
     *   Other processes may not be notified yet. The reload completes by itself within a minute, or when `reload()` is
     *   called again. The promise may also reject with any error of `ready()`
     */
    reload(): Promise<{
      /** The number of API keys and applications whose tokens now carry more than 4096 bytes of scope. */
      readonly clientsOverScopeLimit: number
    }>
  }
  /**
   * Waits until store, catalog and keys are ready, but at most `timeoutMs` milliseconds. The default is 10,000.
   *
   * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE` (retries continue, so a later call or request may
   *   succeed), `ERR_NOT_READY` (the timeout has passed, and the start continues), `ERR_SECRET_MISMATCH`
   *   (restart with the earlier `secret`), `ERR_CATALOG` or `ERR_OPTIONS` (correct the products, and call again),
   *   `ERR_CLOSED`
   */
  ready(options?: { timeoutMs?: number | undefined }): Promise<void>
  /**
   * Reports the health of start, store, keys, products and revocations, for health checks and monitoring. Each failed
   * check names a remedy. `health()` starts gatehouse if needed. It waits at most for `startTimeoutMs` or for
   * `storeTimeoutMs`, whichever is longer. The promise never rejects. The store is checked at most once a second, even
   * if `health()` is called more often.
   */
  health(): Promise<Health>
  /**
   * Stops the host's server and gatehouse, and loses no pending answer. Call it once, for example on SIGTERM:
   *
   * 1. `health().ready` and `gateway.health().ready` become false. Answers say `Connection: close`.
   * 2. For `graceMs` the server works as before, and load balancers notice that the process is not ready.
   * 3. Then the server stops listening, `onGraceEnd` is called, all watches of `gateway.watch()` end with the reason
   *    `closed`, and idle connections are closed. Pending answers have 20 seconds to end.
   * 4. `close()`.
   *
   * A second call waits for the first one.
   *
   * @param server a server of Node for HTTP, HTTPS or HTTP/2, or a list of them
   * @throws {GatehouseError} `ERR_INVALID_ARGUMENT`, before any effect
   */
  shutdown(server: WebServer | readonly WebServer[], options?: ShutdownOptions): Promise<void>
  /**
   * Stops gatehouse at once: requests get 503 from then on. Idempotent. Does not close the store and its client,
   * because the host opened them. To stop a process that still gets requests, use `shutdown()`.
   */
  close(): Promise<void>
}
