import type { Middleware } from 'koa'
import { GatehouseError } from '../errors.ts'
import { createAuthorizeRequest } from './authorize-request.ts'
import {
  authenticate,
  type AuthenticateOptions,
  type Authentication,
  type IncomingCall,
} from './authenticate.ts'
import { createPathLocators } from './path-locators.ts'
import type { GatewayDependencies, GatewayEventSource } from './dependencies.ts'
import { readGatewayHealth, type GatewayHealth } from './health.ts'
import { guard, type GatewayMiddlewareOptions } from './guard.ts'
import type { Principal } from './principal.ts'
import { createReadiness } from './readiness.ts'
import { createErrorResponses } from './error-responses.ts'
import { requireScope } from './require-scope.ts'
import { createTokenSignals } from './token-signals.ts'
import { wellKnown } from './well-known.ts'

/** Guards an API: lets calls through that carry a token with the scope of their operation. */
export interface Gateway<Scope extends string = string> extends GatewayEventSource {
  /**
   * Guards everything below {base_url}: a call gets 401, 403, 404 or 503, or reaches what follows with
   * `ctx.state.auth`. Belongs at the root of the app, above the routes; letter case, slashes and encodings do
   * not lead around it. Also serves the metadata about the API (see `wellKnown()`). CORS middleware belongs
   * above it, to answer preflights and to put its headers on refusals.
   *
   * @throws {GatehouseError} `ERR_OPTIONS` with all that is wrong with the options
   */
  middleware(options?: GatewayMiddlewareOptions): Middleware<{ auth: Principal }>
  /**
   * Guards one route: the token must carry all of `scopes`. Works alone, and behind `middleware()`, where it goes on
   * from what that found out, and asks only whether the token is still good.
   *
   * @throws {GatehouseError} `ERR_OPTIONS` without a scope, or with one that no operation has (where the
   *   products are known already)
   */
  requireScope(...scopes: [Scope, ...Scope[]]): Middleware<{ auth: Principal }>
  /**
   * Decides about a call outside of Koa: the upgrade to a WebSocket, another framework. Takes Node's
   * `IncomingMessage` and the Fetch API's `Request` as they are. The scope is that of the operation which
   * method and URL name, or `options.scope`.
   *
   * @returns who is calling, or the response to give
   * @throws {GatehouseError} `ERR_INVALID_ARGUMENT` for an option that does not exist, and nothing else
   */
  authenticate(call: IncomingCall, options?: AuthenticateOptions<Scope>): Promise<Authentication>
  /**
   * Serves `/.well-known/oauth-protected-resource…`, the metadata about the API that refusals point to (RFC
   * 9728 3). For apps in which `middleware()` stands below a path and never sees that address.
   */
  wellKnown(): Middleware
  /**
   * Tells how the gateway is doing, for health checks and monitoring, with what to do where it is not good. Starts what
   * has not been started, and waits for it as long as a request does. Never rejects. The store, where it has one, is
   * looked at once a second at most, however often this is called.
   */
  health(): Promise<GatewayHealth>
  /**
   * Waits until keys, operations and revocations are there.
   *
   * @throws {GatehouseError} what keeps them away, and `ERR_CLOSED`; calls and requests after that try again
   */
  ready(): Promise<void>
  /**
   * Stops: calls get 503 from now on, and the signals of all principals abort (`ERR_CLOSED`). Idempotent; closes only
   * what the gateway opened itself.
   */
  close(): Promise<void>
}

/**
 * Makes a gateway of what it is handed. Does no I/O before it is mounted, or `ready()`, or the first call.
 *
 * @throws {GatehouseError} `ERR_OPTIONS` if the audience is no absolute URL
 */
export function createGatewayFrom<Scope extends string = string>(
  dependencies: GatewayDependencies,
): Gateway<Scope> {
  if (URL.parse(dependencies.audience) === null) {
    throw new GatehouseError('ERR_OPTIONS', 'audience must be the absolute URL of the API')
  }
  const errorResponses = createErrorResponses(dependencies.audience)
  const readiness = createReadiness(dependencies)
  const signals = createTokenSignals(dependencies.revocations)
  const authorizeRequest = createAuthorizeRequest(dependencies, errorResponses, readiness, signals.signalOf)
  const locatorAt = createPathLocators(new URL(dependencies.audience).pathname)
  const parts = { authorizeRequest, errorResponses, readiness, locatorAt }
  let closing: Promise<void> | undefined

  return {
    on: dependencies.events.on,
    off: dependencies.events.off,
    middleware(options) {
      readiness.begin()
      return guard(dependencies, parts, options)
    },
    requireScope(...scopes) {
      readiness.begin()
      return requireScope(dependencies, authorizeRequest, scopes)
    },
    authenticate(call, options) {
      return authenticate(dependencies, parts, call, options)
    },
    wellKnown() {
      readiness.begin()
      return wellKnown(dependencies)
    },
    health() {
      return readGatewayHealth(dependencies, readiness)
    },
    ready() {
      return readiness.whenReady()
    },
    close() {
      readiness.close()
      signals.close()
      return (closing ??= dependencies.close())
    },
  }
}
