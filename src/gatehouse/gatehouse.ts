import type { Middleware } from 'koa'
import type { Gateway } from '../gateway/gateway.ts'
import type { Health } from '../health/health.ts'
import type { EventSource } from '../host/events.ts'
import type { SigningKeys } from '../keys/signing-keys.ts'
import type { ImportedRegistry, ImportOptions } from '../backup/import.ts'
import type { ApiKeys } from '../clients/api-keys.ts'
import type { Applications } from '../clients/applications.ts'
import type { AccountService } from '../access/account-service.ts'
import type { Grants } from '../grants/grant-service.ts'
import type { Tokens } from '../access/token-service.ts'

/** A token service and API gateway inside a Koa app. */
export interface Gatehouse<Scope extends string = string, Product extends string = string>
  extends EventSource, AsyncDisposable {
  /** Serves everything below {auth_url}, and the well-known documents. */
  middleware(): Middleware
  /**
   * Serves the well-known documents that belong at the root of a host (RFC 8414 3.1, RFC 9728 3.1), for apps
   * where `middleware()` is mounted below a path and never sees them.
   */
  wellKnown(): Middleware
  /** Guards the API. */
  readonly gateway: Gateway<Scope>
  /** Credentials for direct access. */
  readonly apiKeys: ApiKeys<Scope, Product>
  /** Credentials for delegated access. */
  readonly applications: Applications<Scope, Product>
  /** What accounts have authorized applications to do. */
  readonly grants: Grants
  /** Takes access tokens back before they expire. */
  readonly tokens: Tokens
  /** The keys that sign tokens; they change by themselves. */
  readonly signingKeys: SigningKeys
  /** To be told of changes of your accounts. */
  readonly accounts: AccountService
  /** The products and operations. */
  readonly catalog: {
    /**
     * Loads the products anew where they come from a function: here at once, and in every other process on
     * the store within a moment, or within a minute where its connection to the store is disturbed. Tokens that
     * carry an operation which has left a product are taken back.
     *
     * @throws {GatehouseError} `ERR_CATALOG` with all its problems if it is invalid: the last good one stays.
     *   `ERR_STORE_UNAVAILABLE`: what has left the products has ended here; what is new may not be there yet, and
     *   the others may not have been told. Done within a minute, or try again. And what `ready()` throws
     */
    reload(): Promise<void>
  }
  /**
   * Everything that must outlive the store, as lines of JSON that each end with "\n": API keys and applications, ids of
   * deleted ones, the signing keys, what is taken back and what the products gave; with a `registry` of the host's,
   * what the store holds besides. No secret stands in it: clients are there with hashes, keys are encrypted under
   * `secret`. Not in it is what users have allowed and are doing: grants, refresh tokens, sessions, remembered decisions.
   * `Readable.from(gatehouse.exportRegistry())` goes to a file.
   *
   * Clients may be changed meanwhile: each is in it as it was at one moment. One whose record cannot be read is left out:
   * the log tells of it, the last line, and `skipped` in the answer of `importRegistry`. While it is read it rejects with
   * what `ready()` throws, and `ERR_STORE_UNAVAILABLE`; a file that ends there is refused by `importRegistry`.
   */
  exportRegistry(): AsyncIterable<string>
  /**
   * Puts into the store what `exportRegistry` has written, here or on another store. Nothing is overwritten: a client that is
   * here and is another one stays, and is named in `conflicts`. The signing keys of the file sign from then on, in every
   * process, and what those from here have signed stays good. To do it again does no harm, and goes on after a failure.
   *
   * After the store was lost, restore a backup with `{ signingKeys: false }`. Otherwise its keys would be in force again,
   * and with them all tokens that were revoked since the backup.
   *
   * @param lines the file, in pieces of any size: `fs.createReadStream(file)`
   * @throws {GatehouseError} before anything is changed: `ERR_SECRET_MISMATCH` if the signing keys were encrypted under a secret
   *   that is not one of `secret`, `ERR_REGISTRY_READ_ONLY` if it has clients and here the host keeps them,
   *   `ERR_INVALID_ARGUMENT` if it is another kind of file or of a newer version. Later on: `ERR_INVALID_ARGUMENT` with
   *   the number of the line that cannot be imported, or if the file ends in the middle; `ERR_STORE_UNAVAILABLE`.
   *   And what `ready()` and `lines` throw
   */
  importRegistry(
    lines: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>,
    options?: ImportOptions,
  ): Promise<ImportedRegistry>
  /**
   * Waits until store, catalog and keys are there, at most `timeoutMs` (10,000 if left out).
   *
   * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE` (it goes on trying, and a later call or request may
   *   succeed), `ERR_NOT_READY` (it takes longer), `ERR_SECRET_MISMATCH`, `ERR_CATALOG`, `ERR_CLOSED`
   */
  ready(options?: { timeoutMs?: number | undefined }): Promise<void>
  /**
   * Tells how it is doing, for health checks and monitoring, with what to do where it is not good: start, store, keys,
   * products, revocations. Starts what has not been started, and waits for it as long as a request does, or as a call to
   * the store may. Never rejects. The store is looked at once a second at most, however often this is called.
   */
  health(): Promise<Health>
  /** Stops. Idempotent; closes only what gatehouse opened itself, so neither the store nor its client. */
  close(): Promise<void>
}
