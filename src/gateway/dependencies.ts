import type { JWTVerifyGetKey } from 'jose'
import type { RouteClaim } from '../catalog/catalog.ts'
import type { GatehouseEvents } from '../host/events.ts'
import type { HealthCheck } from '../health/health.ts'
import type { StoreHealth } from '../health/store-health.ts'
import type { Logger } from '../host/logger.ts'
import type { Principal } from './principal.ts'

/** Which tokens were taken back. All of it is in memory, because it is asked on every call. */
export interface GatewayRevocations {
  /** Whether a verified token has been taken back. */
  isRevoked(principal: Principal): boolean
  /** Whether all tokens are to be refused with 503, because nobody knows any more which were taken back. */
  readonly mustReject: boolean
  /** How well they are known; undefined where nobody tells this gateway. */
  readonly contact: RevocationFreshness | undefined
  /** How many are in force. */
  readonly size: number
  /** Calls `listener` when tokens may have been taken back. @returns a function that ends it */
  onAdded(listener: () => void): () => void
}

/** How well revocations are known. */
export interface RevocationFreshness {
  /** Whether they cannot be heard of at the moment. */
  readonly isLost: boolean
  /** Seconds since all of them were known. */
  readonly ageSeconds: number
}

/** Everything that `gateway.on(name, listener)` can be asked for. */
export type GatewayEvents = Pick<GatehouseEvents, 'revocations.stale' | 'revocations.fresh'>

/** Who tells of them. */
export interface GatewayEventSource {
  /** Calls `listener` at each event of that name from now on; one that is there already stays once. */
  on<Name extends keyof GatewayEvents>(name: Name, listener: (event: GatewayEvents[Name]) => unknown): void
  /** Takes a listener off again. */
  off<Name extends keyof GatewayEvents>(name: Name, listener: (event: GatewayEvents[Name]) => unknown): void
}

/** What a gateway is handed: embedded it comes from the gatehouse itself, elsewhere over HTTP. */
export interface GatewayDependencies {
  /** {auth_url}: `iss` of the tokens. */
  readonly issuer: string
  /** {base_url}: `aud` of the tokens, and what `middleware()` guards. */
  readonly audience: string
  /**
   * The public keys that access tokens may be signed with. Rejects with jose's `JWKSNoMatchingKey` for a key
   * that does not exist (the token is refused with 401); any other rejection means that the keys could not be
   * looked at (503).
   */
  readonly getKey: JWTVerifyGetKey
  /**
   * The scope of the operation that a request is; undefined if no operation claims it, or if not every router would
   * run the same one.
   *
   * @param method upper case, never HEAD: the gateway asks for its GET
   * @param path below {base_url}, starting with `/`, without a trailing slash. Decoded already, so it is
   *   compared as text, but for letter case
   */
  findScope(method: string, path: string): string | undefined
  /**
   * The routes by which any router would take a request for an operation; none if it is nobody's, or while the
   * products are not there yet. Takes what `findScope` takes.
   */
  findClaims(method: string, path: string): readonly RouteClaim[]
  /**
   * Whether a scope is known, so that a typing error in `requireScope` throws at construction. True for all
   * of them while the products are not there yet.
   */
  isKnownScope(scope: string): boolean
  /** All scopes there are now, for the metadata (RFC 9728 2); empty while the products are not there yet. */
  listScopes(): readonly string[]
  readonly revocations: GatewayRevocations
  readonly events: GatewayEventSource
  /** Settles when keys, operations and revocations are there. May be called again after it has rejected. */
  ready(): Promise<void>
  /** Begins that in the background, and keeps no process alive for it. @default `ready()`, in the background */
  begin?: (() => void) | undefined
  /** Told of each attempt that failed. */
  startFailed?: ((error: unknown) => void) | undefined
  close(): Promise<void>
  /** The store, where the gateway stands on one. */
  readonly storeHealth?: StoreHealth | undefined
  /** What there is to say of keys and products, for `health()`. No I/O that is waited for. */
  check?: (() => readonly HealthCheck[]) | undefined
  /** Milliseconds that a request waits at the start before it is answered with 503. */
  readonly startTimeoutMs: number
  /** Bytes of access tokens that are remembered as verified. */
  readonly tokenCacheBytes: number
  readonly logger: Logger
}
