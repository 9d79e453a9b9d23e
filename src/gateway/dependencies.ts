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
  /** Call it before you reject because of `mustReject`: perhaps only the wall clock was set forward. */
  catchUp(): Promise<unknown>
  /** Calls `listener` when tokens may have been revoked. @returns a function that removes the listener */
  onAdded(listener: () => void): () => void
}

/** Without a source of revocations, a gateway accepts every verified token until it expires. */
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

/** From `createGatehouse()` in its own process, and from `createGateway()` in others. */
export interface GatewayDependencies {
  /** {auth_url}. Tokens carry it as `iss`. */
  readonly issuer: string
  /** {base_url}. Tokens carry it as `aud`. `middleware()` guards all paths below it. */
  readonly audience: string
  /** Rejects with jose's `JWKSNoMatchingKey` for an unknown key: 401. Any other error: 503. */
  readonly getKey: JWTVerifyGetKey
  /**
   * The scope of the operation of a request; for HEAD that of GET. Undefined if no operation matches, or if the match
   * depends on whether the host's router ignores letter case. `path` is below {base_url}, decoded, starts with `/`,
   * and has no trailing slash.
   */
  findScope(method: string, path: string): string | undefined
  /** All routes that match in a router that ignores letter case, or not; empty before the products load. */
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
  readonly startTimeoutMs: number
  readonly maxCachedTokens: number
  readonly logger: Logger
}
