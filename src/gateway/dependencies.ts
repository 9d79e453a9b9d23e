import type { JWTVerifyGetKey } from 'jose'
import type { RouteClaim } from '../catalog/catalog.ts'
import type { EventSource, GatehouseEvents } from '../host/events.ts'
import type { HealthCheck } from '../health/health-report.ts'
import type { RevocationView } from '../health/revocations-check.ts'
import type { ReadStoreHealth } from '../health/store-health.ts'
import type { Logger } from '../host/logger.ts'
import type { Principal } from './principal.ts'

/** The revoked tokens. All of them are in memory, because the gateway checks them on every call. */
export interface GatewayRevocations extends RevocationView {
  /** Whether a verified token has been revoked. */
  isTokenRevoked(principal: Principal): boolean
  /** Calls `listener` when tokens may have been revoked. @returns a function that removes the listener */
  onAdded(listener: () => void): () => void
}

/** The events of `gateway.on(name, listener)`. */
export type GatewayEvents = Pick<GatehouseEvents, 'revocations.stale' | 'revocations.fresh'>

/**
 * The dependencies of a gateway. In the same process the gatehouse provides them, elsewhere they come over
 * HTTP.
 */
export interface GatewayDependencies {
  /** {auth_url}: `iss` of the tokens. */
  readonly issuer: string
  /** {base_url}: `aud` of the tokens, and what `middleware()` guards. */
  readonly audience: string
  /**
   * The public keys of access tokens. Rejects with jose's `JWKSNoMatchingKey` for a key that does not exist:
   * the token is then rejected with 401. Any other rejection means that the keys could not be read (503).
   */
  readonly getKey: JWTVerifyGetKey
  /**
   * The scope of the operation that a request names; undefined if no operation claims the request, or if
   * routers would disagree about the operation.
   *
   * @param method upper case, never HEAD: for HEAD the gateway passes GET
   * @param path below {base_url}, starting with `/`, without a trailing slash. It is decoded already, so it is
   *   compared as text, ignoring letter case
   */
  findScope(method: string, path: string): string | undefined
  /**
   * All routes by which some router would select an operation for a request. Empty if no operation claims it,
   * or while the products are not loaded yet. Takes the parameters of `findScope`.
   */
  findClaims(method: string, path: string): readonly RouteClaim[]
  /**
   * Whether a scope is known, so that a typing error in `requireScope` throws at construction. True for every
   * scope while the products are not loaded yet.
   */
  isKnownScope(scope: string): boolean
  /** All current scopes, for the metadata (RFC 9728 2); empty while the products are not loaded yet. */
  listScopes(): readonly string[]
  readonly revocations: GatewayRevocations
  readonly events: EventSource<keyof GatewayEvents>
  /** Settles when keys, operations and revocations are loaded. It can be called again after a rejection. */
  ready(): Promise<void>
  /**
   * Starts loading in the background, and keeps no process alive for it. @default `ready()`, in the background
   */
  begin?: (() => void) | undefined
  /** Called with the error of each failed attempt. */
  startFailed?: ((error: unknown) => void) | undefined
  close(): Promise<void>
  /** Reads the health of the store, if the gateway uses one. */
  readonly readStoreHealth?: ReadStoreHealth | undefined
  /** The checks of keys and products, for `health()`. It waits for no I/O. */
  check(): readonly HealthCheck[]
  /** Milliseconds that a request waits for the start before it is answered with 503. */
  readonly startTimeoutMs: number
  /** Bytes of verified access tokens that are cached. */
  readonly tokenCacheBytes: number
  readonly logger: Logger
}
