import type { Middleware } from 'koa'
import type { Health } from '../health/health-report.ts'
import { readHealth } from '../health/read-health.ts'
import {
  authenticate,
  type AuthenticateOptions,
  type Authentication,
  type CallWithMethod,
  type IncomingCall,
} from './authenticate.ts'
import { createGatewayHooks, type GatewayHooks } from './gateway-hooks.ts'
import type { EventSource } from '../host/events.ts'
import type { WebServer } from '../host/open-connections.ts'
import { createShutdown, type ShutdownOptions } from '../host/shutdown.ts'
import type { GatewayDependencies, GatewayEvents } from './dependencies.ts'
import { guard, type GatewayMiddlewareOptions } from './guard.ts'
import type { Principal } from './principal.ts'
import { createParts } from './parts.ts'
import { registerParts } from './registered-parts.ts'
import { requireScope } from './require-scope.ts'
import { createTokenWatch, type TokenEnd } from './token-watch.ts'
import { wellKnown } from './well-known.ts'

/** Guards an API. It finds the operation by the method and URL of a call, and accepts the call if its token
 * carries the scope of this operation. */
export interface Gateway<Scope extends string = string> extends EventSource<keyof GatewayEvents> {
  /**
   * Guards everything below the address of the API ({base_url}). A rejected call gets 400, 401, 403, 404 or 503. An
   * accepted call reaches the next middleware with `ctx.state.auth`. Mount this middleware at the root of the app,
   * before the routes. There, a caller cannot bypass it with other letter case, slashes or encodings. Do not mount it
   * with koa-mount: koa-mount compares letter case, so a router might accept a path that the gateway never received.
   * The middleware also serves the metadata of the API (see `wellKnown()`). Mount CORS middleware before the gateway,
   * so that the CORS middleware answers preflights and adds its headers to error responses.
   *
   * @throws {GatehouseError} `ERR_OPTIONS` with all problems of the options
   */
  middleware(options?: GatewayMiddlewareOptions): Middleware<{ auth: Principal }>
  /**
   * Guards one route: the token must carry all of `scopes`. It works alone and after `middleware()`. After
   * `middleware()`, it reuses the verified principal, and checks only the scopes and whether the token is still valid.
   * Its error responses also name the scopes that earlier guards of the request required.
   *
   * @throws {GatehouseError} `ERR_OPTIONS` if no scope is given, or if no operation has a given scope (checked only
   *   if the products are loaded already)
   */
  requireScope(...scopes: [Scope, ...Scope[]]): Middleware<{ auth: Principal }>
  /**
   * Accepts or rejects a call outside of Koa: a WebSocket upgrade or another framework. Accepts Node's
   * `IncomingMessage` and the Fetch API's `Request`. The token must carry all scopes of `options.scope`, and the scope
   * of the operation that method and URL name. An error response lists all of these scopes, so that the client can
   * request a token that has them.
   *
   * @returns the caller, or the error response to send
   * @throws {GatehouseError} `ERR_INVALID_ARGUMENT` for a call without method and `scope`, an unknown option, an empty
   *   `scope` or an invalid `mountPath`, and nothing else
   */
  authenticate(call: CallWithMethod, options?: AuthenticateOptions<Scope>): Promise<Authentication>
  authenticate(
    call: IncomingCall,
    options: AuthenticateOptions<Scope> & { readonly scope: Scope | readonly Scope[] },
  ): Promise<Authentication>
  /**
   * Calls `onEnd` once, as soon as the token of an accepted call is no longer valid. Use it for work that continues
   * after the call was accepted, such as WebSockets, streams and long jobs. If the token is invalid already, `onEnd` is
   * called soon after `watch()` returns. An `onEnd` that throws or rejects is logged.
   *
   * @param principal `ctx.state.auth`, or `principal` of `authenticate()`; not a copy
   * @returns a function that stops the watch. Call it when the work ends. `onEnd` is never called after that
   * @throws {GatehouseError} `ERR_INVALID_ARGUMENT` if `principal` is not a principal of this gateway, or if `onEnd` is
   *   not a function
   */
  watch(principal: Principal, onEnd: (reason: TokenEnd) => unknown): () => void
  /**
   * Serves the metadata of the API at `/.well-known/oauth-protected-resource…` (RFC 9728 3). Error responses link to
   * this address. An app needs this middleware if `middleware()` is mounted below a path, because `middleware()` then
   * does not receive requests for this address.
   */
  wellKnown(): Middleware
  /**
   * Reads the health of the gateway for health checks and monitoring, with remedies for problems. `health()`
   * starts the gateway if necessary, and waits for the start as long as a request does. The promise never
   * rejects. If the gateway has a store, the store is checked at most once a second, however often `health()`
   * is called.
   */
  health(): Promise<Health>
  /**
   * Waits until keys, operations and revocations are loaded.
   *
   * @throws {GatehouseError} the error of a failed load; later calls and requests then try again.
   *   `ERR_CLOSED` after `close()`
   */
  ready(): Promise<void>
  /**
   * Closes the gateway. Calls get 503 from then on, and all watches end with the reason `closed`. Idempotent. The
   * method closes only what the gateway opened itself.
   */
  close(): Promise<void>
  /** Like `shutdown()` of a gatehouse. On `gatehouse.gateway` it stops the whole gatehouse. */
  shutdown(server: WebServer | readonly WebServer[], options?: ShutdownOptions): Promise<void>
}

/** Creates a gateway, which does no I/O before a method is called. At its end, the parts store what they counted. */
export function createGatewayFrom<Scope extends string = string>(
  dependencies: GatewayDependencies,
  hooks: GatewayHooks = createGatewayHooks(),
): Gateway<Scope> {
  const { revocations } = dependencies
  const parts = createParts(dependencies, hooks)
  const { firstLoad } = parts
  const tokenWatch = createTokenWatch(dependencies, parts.authorizer.isOwn)
  const { shutdown = createShutdown(close, dependencies.logger) } = dependencies
  shutdown.onGraceEnd(tokenWatch.close)
  let closing: Promise<void> | undefined

  const gateway: Gateway<Scope> = {
    on: dependencies.events.on,
    off: dependencies.events.off,
    middleware(options) {
      firstLoad.begin()
      const middleware = guard(parts, options)
      const { mountPath = parts.base } = options ?? {}
      for (const path of [parts.base, mountPath]) parts.watchPath(path)
      return registerParts(middleware, { ...parts, base: mountPath })
    },
    requireScope(...scopes) {
      firstLoad.begin()
      parts.watchPath(parts.base)
      return requireScope(parts, scopes)
    },
    authenticate: (call: IncomingCall, options?: AuthenticateOptions) => authenticate(parts, call, options),
    watch: tokenWatch.watch,
    wellKnown() {
      firstLoad.begin()
      return wellKnown([dependencies])
    },
    health() {
      return readHealth({
        start: firstLoad,
        shutdown,
        becomesUsable: async () => firstLoad.isReady || firstLoad.soonReady(),
        readStoreHealth: dependencies.readStoreHealth,
        check: () => [...dependencies.check(), ...hooks.checks.map((each) => each())],
        revocations,
        isReady: ({ isUsable }) => isUsable && !revocations.mustReject,
      })
    },
    ready: firstLoad.whenReady,
    shutdown: shutdown.run,
    close,
  }
  return registerParts(gateway, parts)

  function close(): Promise<void> {
    firstLoad.close()
    tokenWatch.close()
    return (closing ??= closeAll())
  }

  async function closeAll(): Promise<void> {
    await Promise.all(hooks.closing.map((end) => end()))
    await dependencies.close()
  }
}
