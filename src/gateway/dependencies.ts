import type { JWTVerifyGetKey } from 'jose'
import type { RouteClaim } from '../catalog/catalog.ts'
import type { EventSource, GatehouseEvents } from '../host/events.ts'
import type { HealthCheck } from '../health/health-report.ts'
import type { ProxyCheck } from '../health/proxy-check.ts'
import type { RevocationView } from '../health/revocations-check.ts'
import type { ReadStoreHealth } from '../health/store-health.ts'
import type { Logger } from '../host/logger.ts'
import type { Shutdown } from '../host/shutdown.ts'
import type { RevocableToken } from '../revocation/revocation.ts'

/**
 * The revocations that the gateway knows. All are in memory, because the gateway checks every call against
 * them.
 */
export interface GatewayRevocations extends RevocationView {
  /** Whether a verified token has been revoked. */
  isTokenRevoked(token: RevocableToken): boolean
  /**
   * Reads the revocations if only the wall clock calls them stale: it was set forward, or the machine has slept. Call this
   * method before you reject tokens because of `mustReject`.
   */
  catchUp(): Promise<unknown>
  /** Calls `listener` when tokens may have been revoked. @returns a function that removes the listener */
  onAdded(listener: () => void): () => void
}

/**
 * The revocations of a gateway without a source of revocations. Such a gateway accepts every verified token
 * until the token expires.
 */
export const noRevocations: GatewayRevocations = {
  isTokenRevoked: () => false,
  mustReject: false,
  catchUp: async () => {},
  failure: undefined,
  freshness: undefined,
  size: 0,
  onAdded: () => () => {},
}

/** The events of `gateway.on(name, listener)`. */
export type GatewayEvents = Pick<GatehouseEvents, 'revocations.stale' | 'revocations.fresh'>

/**
 * The dependencies of a gateway. `createGatehouse()` provides them for the gateway in its own process.
 * `createGateway()` provides them in other processes, where it fetches the keys over HTTP.
 */
export interface GatewayDependencies {
  /** The address of the authorization service ({auth_url}). Tokens carry it as `iss`. */
  readonly issuer: string
  /**
   * The address of the API ({base_url}). Tokens carry it as `aud`. It is the address below which `middleware()` guards
   * all paths.
   */
  readonly audience: string
  /**
   * The public keys of access tokens. The function rejects with jose's `JWKSNoMatchingKey` for a key that
   * does not exist, and the call then gets 401. If the function rejects with any other error, the keys could
   * not be read, and the call gets 503.
   */
  readonly getKey: JWTVerifyGetKey
  /**
   * The scope of the operation that the method and URL of a request name. Undefined if no operation matches, or if
   * the match depends on whether the host's router ignores letter case.
   *
   * @param method as it was sent; HEAD finds the operation of GET
   * @param path below {base_url}, starting with `/`, without a trailing slash. The path is already decoded,
   *   so it is compared as text, ignoring letter case
   */
  findScope(method: string, path: string): string | undefined
  /**
   * All routes of operations that match a request in at least one router, whether that router ignores letter case or
   * not. Empty if no route matches, or while the products are not loaded yet. Takes the parameters of `findScope`.
   */
  findClaims(method: string, path: string): readonly RouteClaim[]
  /**
   * Whether a scope is known. `requireScope` throws at construction if a scope is unknown. True for every
   * scope while the products are not loaded yet.
   */
  isKnownScope(scope: string): boolean
  /** All current scopes, for the metadata (RFC 9728 2); empty while the products are not loaded yet. */
  listScopes(): readonly string[]
  readonly revocations: GatewayRevocations
  readonly events: EventSource<keyof GatewayEvents>
  /**
   * Resolves when keys, operations and revocations are loaded. If the promise rejects, `ready()` can be
   * called again.
   */
  ready(): Promise<void>
  /**
   * Starts loading in the background. The pending load does not keep the process alive. @default calls
   * `ready()` in the background
   */
  begin?: (() => void) | undefined
  /** Called with the error each time that `ready()` rejects before the gateway has started. */
  startFailed?: ((error: unknown) => void) | undefined
  close(): Promise<void>
  /** The shutdown of the service that contains the gateway. @default stops the gateway alone */
  readonly shutdown?: Shutdown | undefined
  /** Reads the health of the store, if the gateway uses one. */
  readonly readStoreHealth?: ReadStoreHealth | undefined
  /** Checks keys and products for `health()`, without waiting for I/O. */
  check(): readonly HealthCheck[]
  readonly proxyCheck: ProxyCheck
  /** Milliseconds that a request waits for the start before it is answered with 503. */
  readonly startTimeoutMs: number
  /** Maximum number of verified access tokens in the cache. */
  readonly maxCachedTokens: number
  readonly logger: Logger
}
