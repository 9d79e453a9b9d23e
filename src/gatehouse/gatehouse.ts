import type { Middleware } from 'koa'
import type { AuditTrail } from '../audit/read-trail.ts'
import type { Gateway } from '../gateway/gateway.ts'
import type { Health } from '../health/health-report.ts'
import type { EventSource } from '../host/events.ts'
import type { WebServer } from '../host/open-connections.ts'
import type { ShutdownOptions } from '../host/shutdown.ts'
import type { SigningKeys } from '../keys/signing-keys.ts'
import type { Console } from '../console/console.ts'
import type { ConsoleOptions } from '../console/console-options.ts'
import type { ManagementOptions } from '../management/management.ts'
import type { ImportedRegistry, ImportOptions, RegistrySource } from '../backup/import.ts'
import type { ApiKeys } from '../clients/api-keys.ts'
import type { Applications } from '../clients/applications.ts'
import type { AccountService } from '../access/account-changes.ts'
import type { Grants } from '../grants/grant-service.ts'
import type { Tokens } from '../access/token-service.ts'

/** A token service and API gateway inside a Koa app. */
export interface Gatehouse<Scope extends string = string, Product extends string = string>
  extends EventSource, AsyncDisposable {
  /** Serves everything below {auth_url}, and the well-known documents. */
  middleware(): Middleware
  /**
   * Serves the well-known documents at the root of a host (RFC 8414 3.1, RFC 9728 3.1). An app needs this
   * middleware if it mounts `middleware()` below a path, because `middleware()` then does not receive
   * requests at the root.
   */
  wellKnown(): Middleware
  /**
   * Serves the management API: JSON over HTTP for the API keys, applications and authorizations of the
   * signed-in account, for consoles and scripts. `accounts.current` says who calls. Mount it below your
   * session. Requests outside `path` pass through.
   *
   * @throws {GatehouseError} `ERR_OPTIONS` if `accounts` has no `current`; `ERR_INVALID_ARGUMENT` for invalid
   *   options
   */
  management(options?: ManagementOptions): Middleware
  /**
   * Serves the console: pages on which developers manage their API keys and applications, users their connected
   * applications, and operators the service. `accounts.current` says who is signed in. Mount it below your session. The
   * result also mounts single parts: `console().connectedApplications({ path })`.
   *
   * @throws {GatehouseError} `ERR_OPTIONS` if `accounts` has no `current`; `ERR_INVALID_ARGUMENT` for invalid
   *   options
   */
  console(options?: ConsoleOptions): Console
  /** Protects the API. */
  readonly gateway: Gateway<Scope>
  /** Credentials for direct access. */
  readonly apiKeys: ApiKeys<Scope, Product>
  /** Credentials for delegated access. */
  readonly applications: Applications<Scope, Product>
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
     * @throws {GatehouseError} `ERR_CATALOG` with all problems if the new catalog is invalid; the last valid
     *   catalog then stays active. `ERR_STORE_UNAVAILABLE` if the store is unavailable; this process then
     *   already rejects removed operations. New operations may still be missing, and other processes may not
     *   have been notified. The reload completes by itself within a minute, or when `reload()` is called
     *   again. The promise may also reject with any error of `ready()`
     */
    reload(): Promise<void>
  }
  /**
   * Exports all data that must outlive the store, as lines of JSON that each end with " ". The export
   * contains API keys and applications, the ids of deleted clients, the signing keys, the revocations and the
   * scopes of the products. With the option `registry`, the clients are not in the store, and the export
   * contains only their epochs. The export contains no plain secret: secrets of clients are hashed, and keys
   * are encrypted under `secret`. It contains no grants, refresh tokens, sessions or stored consents.
   * `Readable.from(gatehouse.exportRegistry())` can be piped to a file.
   *
   * Clients may change during the export. Each client is exported as it was at one moment of the export. A
   * corrupt record is skipped. The store key of the record is reported to `logger`, in the last line of the
   * file, and in `skipped` of the result of `importRegistry`. The iteration may reject with
   * `ERR_STORE_UNAVAILABLE`, or with an error of `ready()`. The file is then incomplete, and `importRegistry`
   * rejects the file.
   */
  exportRegistry(): AsyncIterable<string>
  /**
   * Imports a file of `exportRegistry` into this store. For a migration, call it on an empty store, before
   * any process starts on that store. The import does not start this gatehouse. If the store has a different
   * client with the same id, that client stays unchanged, and `conflicts` of the result contains its id. If the
   * store already has a catalog, its operations stay unchanged. Revocations are added, and a higher epoch
   * replaces a lower one. If an import fails, call it again with the same file to complete it.
   *
   * After the store was lost, restore a backup with `{ signingKeys: false }`. Otherwise the keys of the
   * backup would become valid again, and with them all tokens that were revoked since the backup.
   *
   * The signing keys are imported last, and only if the line counts of the file are right. So a file whose
   * revocations were taken out makes no revoked token valid.
   *
   * @param file a function that opens the file, for example `() => fs.createReadStream(name)`; or the text of the
   *   file; or a list of its pieces, of any size. These are read twice, and an incomplete file changes nothing. A
   *   stream or another iteration is read once: an incomplete file then imports its lines, but no signing keys
   * @throws {GatehouseError} before any change: `ERR_SECRET_MISMATCH` if `secret` does not contain the secret
   *   that encrypted the signing keys; `ERR_CONFLICT` if this store has other signing keys;
   *   `ERR_REGISTRY_READ_ONLY` if the file has clients, but the host manages the clients of this gatehouse;
   *   `ERR_INVALID_ARGUMENT` if the file has another format or a newer version. After some lines were
   *   imported: `ERR_INVALID_ARGUMENT` with the number of an invalid line, or if the file is incomplete;
   *   `ERR_STORE_UNAVAILABLE`. At any time: `ERR_CLOSED`, and the errors of `file`
   */
  importRegistry(file: RegistrySource, options?: ImportOptions): Promise<ImportedRegistry>
  /**
   * Waits until store, catalog and keys are ready, at most `timeoutMs` (default 10,000).
   *
   * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE` (retries continue, so a later call or request may
   *   succeed), `ERR_NOT_READY` (the timeout has passed, and the start continues), `ERR_SECRET_MISMATCH`
   *   (restart with the earlier `secret`), `ERR_CATALOG` (correct the products, and call again), `ERR_CLOSED`
   */
  ready(options?: { timeoutMs?: number | undefined }): Promise<void>
  /**
   * Reports the health of start, store, keys, products and revocations, for health checks and monitoring.
   * Each failed check names a remedy. `health()` starts gatehouse if needed. It waits at most as long as a
   * request waits for the start, or as long as a store call may take, whichever is longer. The promise never
   * rejects. The store is checked at most once a second, even if `health()` is called more often.
   */
  health(): Promise<Health>
  /**
   * Stops the host's server and gatehouse, and keeps every answer. Call it once, for example on SIGTERM:
   *
   * 1. `health().ready` and `gateway.health().ready` become false. Answers say `Connection: close`.
   * 2. For `graceMs` the server works as before, and load balancers notice that the process is not ready.
   * 3. Then the server stops listening, `onGraceEnd` is called, the signals of all principals abort (`ERR_CLOSED`), and
   *    idle connections are closed. Pending answers have 20 seconds to end.
   * 4. `close()`.
   *
   * A second call waits for the first one.
   *
   * @param server Node's HTTP or HTTPS server, or a list of them; HTTP/2 is not supported
   * @throws {GatehouseError} `ERR_INVALID_ARGUMENT`, before any effect
   */
  shutdown(server: WebServer | readonly WebServer[], options?: ShutdownOptions): Promise<void>
  /**
   * Stops gatehouse at once: requests get 503 from then on. Idempotent. Does not close the store and its client,
   * because the host opened them. To stop a process that still gets requests, use `shutdown()`.
   */
  close(): Promise<void>
}
