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

/** All are in memory, because the gateway checks every call against them. */
export interface GatewayRevocations extends RevocationView {
  isTokenRevoked(token: RevocableToken): boolean
  /**
   * Reads the revocations if only the wall clock calls them stale: it was set forward, or the machine has
   * slept. Call it before you reject tokens because of `mustReject`.
   */
  catchUp(): Promise<unknown>
  /** Calls `listener` when tokens may have been revoked. @returns a function that removes the listener */
  onAdded(listener: () => void): () => void
}

/** A gateway without a source of revocations accepts every verified token until the token expires. */
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
 * `createGatehouse()` provides these for the gateway in its own process, and `createGateway()` in other
 * processes.
 */
export interface GatewayDependencies {
  /** {auth_url}. Tokens carry it as `iss`. */
  readonly issuer: string
  /** {base_url}. Tokens carry it as `aud`. `middleware()` guards all paths below it. */
  readonly audience: string
  /**
   * Rejects with jose's `JWKSNoMatchingKey` for a key that does not exist: the call gets 401. After any other
   * error, the call gets 503.
   */
  readonly getKey: JWTVerifyGetKey
  /**
   * The scope of the operation of a request. Undefined if no operation matches, or if the match depends on
   * whether the host's router ignores letter case.
   *
   * @param method as it was sent; HEAD finds the operation of GET
   * @param path below {base_url}, decoded, starting with `/`, without a trailing slash
   */
  findScope(method: string, path: string): string | undefined
  /**
   * All routes of operations that match a request in at least one router, whether it ignores letter case or
   * not. Empty while the products are not loaded yet.
   */
  findClaims(method: string, path: string): readonly RouteClaim[]
  /** True for every scope while the products are not loaded yet. */
  isKnownScope(scope: string): boolean
  /** For the metadata (RFC 9728 2); empty while the products are not loaded yet. */
  listScopes(): readonly string[]
  readonly revocations: GatewayRevocations
  readonly events: EventSource<keyof GatewayEvents>
  /** Loads keys, operations and revocations. If the promise rejects, call it again. */
  ready(): Promise<void>
  /** The pending load does not keep the process alive. @default calls `ready()` in the background */
  begin?: (() => void) | undefined
  /** Called each time that `ready()` rejects before the gateway has started. */
  startFailed?: ((error: unknown) => void) | undefined
  close(): Promise<void>
  /** The shutdown of the service that contains the gateway. @default stops the gateway alone */
  readonly shutdown?: Shutdown | undefined
  readonly readStoreHealth?: ReadStoreHealth | undefined
  /** For `health()`, without waiting for I/O. */
  check(): readonly HealthCheck[]
  readonly proxyCheck: ProxyCheck
  /** For this time a request waits for the start. */
  readonly startTimeoutMs: number
  readonly maxCachedTokens: number
  readonly logger: Logger
}
