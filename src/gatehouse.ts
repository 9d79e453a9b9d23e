import type { Middleware } from 'koa'
import type { EventSource } from './host/events.ts'
import type { Gateway } from './gateway/gateway.ts'
import type { ApiKeys } from './registry/api-keys.ts'
import type { Applications } from './registry/applications.ts'

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
  readonly apiKeys: ApiKeys<Scope, Product>
  readonly applications: Applications<Scope, Product>
  /** The products and operations. */
  readonly catalog: {
    /**
     * Loads the products anew where they come from a function, here and in every other process.
     *
     * @throws {GatehouseError} `ERR_CATALOG` with all its problems if it is invalid: the last good one stays
     */
    reload(): Promise<void>
  }
  /**
   * Waits until store, catalog and keys are there.
   *
   * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE` after `timeoutMs` (it goes on trying, and a later call
   *   or request may succeed), `ERR_SECRET`, `ERR_CATALOG`, `ERR_CLOSED`
   */
  ready(options?: { timeoutMs?: number | undefined }): Promise<void>
  /** Stops. Idempotent; closes only what gatehouse opened itself. */
  close(): Promise<void>
}
