import type { Context, Middleware, Next, ParameterizedContext } from 'koa'
import { plainTarget } from '../http/request-path.ts'
import { mountPathProblem } from '../validation/mount-path.ts'
import { checkInput, anyValue, functionRule, oneOf, optional, type Fields } from '../validation/rules.ts'
import type { Authorized } from './authorize-token.ts'
import { authorizationFields, readBearerToken, type BearerRequest } from './bearer-token.ts'
import { userOf, type GatewayHooks } from './gateway-hooks.ts'
import type { LocationBelow } from './canonical-path.ts'
import type { GatewayParts } from './parts.ts'
import { createOpenRoutes, type PublicRoute } from './open-routes.ts'
import { isUnclaimed, rejectUnclaimed, requiredScopesOf } from './required-scope.ts'
import type { Principal } from './principal.ts'
import type { ErrorResponse } from './error-responses.ts'
import { createRequestLocator, type RequestLocation } from './request-location.ts'
import { markChecked } from './unchecked-calls.ts'
import { wellKnown } from './well-known.ts'

const REQUIRED_SCOPES = Symbol('required scopes')

interface AcceptedCall extends Context {
  [REQUIRED_SCOPES]?: readonly string[]
}

/** The options of `gateway.middleware()`. */
export interface GatewayMiddlewareOptions {
  /**
   * Routes below the address of the API ({base_url}) that need no token, written like the routes of operations:
   * `['GET /status']` opens `/api/status` if the audience is `https://example.com/api`. The gateway ignores tokens on
   * these routes, and `ctx.state.auth` stays undefined. Paths outside of {base_url} need no entry: the gateway passes
   * them on. @default []
   */
  readonly public?: readonly PublicRoute[] | undefined
  /**
   * Routes below the address of the API ({base_url}) that also accept calls without a token: `['GET /articles']`. If a
   * token is sent, it is verified. If the route is also an operation, the token must carry the scope of the operation.
   * Without a token `ctx.state.auth` stays undefined. @default []
   */
  readonly optional?: readonly PublicRoute[] | undefined
  /**
   * What happens to a request below the address of the API ({base_url}) if no operation has its path, whatever the
   * method is. `'reject'` answers the request with 404. `'pass'` passes the request on and ignores tokens, for an API
   * that also serves a front end. If {base_url} is the root of a host, `public`, `optional` and `'pass'` have no
   * effect in a mounted app, or on a path that was rewritten behind a mount.
   * @default 'reject'
   */
  readonly unclaimed?: 'reject' | 'pass' | undefined
  /**
   * Returns whether the gateway guards a request. The gateway passes all other requests on unchecked. Decide by the
   * path, or by what your own middleware has verified, such as a session. Never decide by `Host`, `X-Forwarded-Host`
   * or another header, because the client chooses it. @default guards all requests whose original or present path is
   * below {base_url}
   */
  readonly when?: ((ctx: Context) => boolean) | undefined
  /**
   * Path at which the host's app sees the address of the API ({base_url}), if a proxy strips a prefix; empty for the
   * root.
   * @default the path of {base_url}
   */
  readonly mountPath?: string | undefined
}

/**
 * Guards everything below the address of the API ({base_url}): every request whose original path or present path is
 * below it; a path of no operation is 404, or passed on (`unclaimed`). The path that the handler sees selects the
 * operation. 404 if that is outside of {base_url}, or may be the path of two operations: the cause is logged once.
 */
export function guard(
  parts: GatewayParts,
  options: GatewayMiddlewareOptions = {},
): Middleware<{ auth: Principal }> {
  checkInput('the options of the gateway are not valid', options, OPTIONS, 'ERR_OPTIONS')
  const { dependencies, authorizer, errorResponses, firstLoad, warnOfRewrite, hooks } = parts
  const { when, unclaimed, mountPath = parts.base } = options
  const isWholeHost = /^\/*$/.test(mountPath)
  const { locatePath, locateRequest } = createRequestLocator(mountPath)
  const hasOpenRoutes = options.public !== undefined || options.optional !== undefined
  const openRoutes = hasOpenRoutes ? createOpenRoutes(options, mountPath, dependencies) : undefined
  const metadata = wellKnown([dependencies])
  const belongsToNoOperation = (location: LocationBelow) => isUnclaimed(location, dependencies)

  return function guard(ctx, next) {
    if (when !== undefined && !when(ctx)) {
      if (locateRequest(ctx).place !== 'elsewhere') markChecked(ctx.req)
      return next()
    }
    if (acceptKnownCall(ctx)) return next()
    // The metadata is public, and is below {base_url} if {base_url} is the root of a host.
    return metadata(ctx, () => guardRequest(ctx, next))
  }

  /** Accepts a plain path of one operation, with a cached token, at once. Otherwise `guardRequest` must decide. */
  function acceptKnownCall(ctx: Context): boolean {
    if (!firstLoad.isReady) return false
    const target = plainTarget(ctx)
    if (target === undefined || target.startsWith('/.well-known/')) return false
    const queryAt = target.indexOf('?')
    // `guardRequest` rejects a call with a token in the query.
    if (queryAt >= 0 && MAY_HAVE_TOKEN.test(target)) return false
    const location = locatePath(queryAt < 0 ? target : target.slice(0, queryAt))
    if (location.place !== 'below' || location.endsInSlash) return false
    const { path } = location
    if (path.includes('%') || openRoutes?.find(ctx.method, path, false) !== undefined) return false
    const scope = dependencies.findScope(ctx.method, path)
    if (scope === undefined) return false
    const principal = authorizer.acceptCachedToken(ctx.req.rawHeaders, scope)
    if (principal === undefined) return false
    if (hooks.limiter !== undefined && !wasAccepted(ctx)) {
      const headers = hooks.limiter.countAtOnce(principal.clientId, userOf(principal))
      if (headers === undefined) return false
      ctx.set(headers)
    }
    acceptCall(ctx, principal, [scope], hooks)
    return true
  }

  async function guardRequest(ctx: ParameterizedContext<{ auth: Principal }>, next: Next): Promise<unknown> {
    const location = locateRequest(ctx)
    if (location.place === 'elsewhere') return next()
    if (location.place === 'unclear') return rejectCall(ctx, hooks, rejectUnclaimed(errorResponses, location))
    if (location.place === 'rewritten') return rejectRewrite(ctx, location)
    if (!firstLoad.isReady && !(await firstLoad.soonReady()))
      return rejectCall(ctx, hooks, errorResponses.unavailable())

    const { path, endsInSlash, alternatives } = location
    if (!alternatives.every(belongsToNoOperation)) return rejectRewrite(ctx, location)
    // Below a mount, a host with the root as {base_url} may have meant another path in `public` and `optional`.
    const isCertain = !isWholeHost || alternatives.length === 0
    const openness = isCertain ? openRoutes?.find(ctx.method, path, endsInSlash) : undefined
    const request = bearerRequestOf(parts, ctx)
    if (openness === 'public' || (openness === 'optional' && hasNoToken(request))) return passOn(ctx, next)

    const scopes = requiredScopesOf(ctx.method, path, endsInSlash, dependencies)
    if (scopes === undefined && openness === undefined) {
      const passes = unclaimed === 'pass' && isCertain && belongsToNoOperation(location)
      return passes ? passOn(ctx, next) : rejectCall(ctx, hooks, rejectUnclaimed(errorResponses, location))
    }

    const outcome = await authorizer.authorizeToken(request, scopes ?? [])
    return (await settleCall(parts, ctx, outcome, scopes ?? [])) ? next() : undefined
  }

  function passOn(ctx: Context, next: Next): Promise<unknown> {
    markChecked(ctx.req)
    return next()
  }

  function rejectRewrite(ctx: Context, location: RequestLocation): void {
    warnOfRewrite()
    rejectCall(ctx, hooks, rejectUnclaimed(errorResponses, location))
  }
}

export function bearerRequestOf(parts: GatewayParts, ctx: Context): BearerRequest {
  const address = parts.dependencies.proxyCheck.examine(ctx)
  const authorization = authorizationFields(ctx.headers, ctx.req.rawHeaders)
  return { authorization, query: ctx.querystring, address }
}

/** For a thrown error, Koa would remove headers (CORS), and call the `error` listeners of the app. */
export function rejectCall(ctx: Context, hooks: GatewayHooks, response: ErrorResponse, scope?: string): void {
  hooks.observer?.rejected(response, scope, wasAccepted(ctx) ? ctx.res : undefined)
  markChecked(ctx.req)
  ctx.status = response.status
  ctx.set(response.headers)
  ctx.body = response.body
}

export async function settleCall(
  parts: GatewayParts,
  ctx: Context,
  outcome: Authorized | ErrorResponse,
  scopes: readonly string[],
): Promise<boolean> {
  const rejection = outcome.ok ? await limitCall(parts, ctx, outcome.principal) : outcome
  if (rejection) rejectCall(ctx, parts.hooks, rejection, scopes[0])
  else if (outcome.ok) acceptCall(ctx, outcome.principal, scopes, parts.hooks)
  return rejection === undefined
}

function acceptCall(
  ctx: Context,
  principal: Principal,
  scopes: readonly string[],
  { observer }: GatewayHooks,
): void {
  // A call that passes several guards is one call.
  if (observer !== undefined) {
    if (wasAccepted(ctx)) observer.acceptedAgain(principal.clientId, scopes)
    else observer.accepted(principal.clientId, scopes, ctx)
  }
  ctx.state['auth'] = principal
  markChecked(ctx.req)
  ;(ctx as AcceptedCall)[REQUIRED_SCOPES] = scopes
}

async function limitCall({ hooks, errorResponses }: GatewayParts, ctx: Context, principal: Principal) {
  const { clientId } = principal
  if (hooks.limiter === undefined || wasAccepted(ctx)) return undefined
  const { headers, exceeded } = await hooks.limiter.count(clientId, userOf(principal))
  if (exceeded) return errorResponses.tooManyCalls(clientId, exceeded, headers)
  ctx.set(headers)
  return undefined
}

function wasAccepted(ctx: Context): boolean {
  return (ctx as AcceptedCall)[REQUIRED_SCOPES] !== undefined
}

/** Without these scopes in its error response, a client would request a token that earlier guards reject. */
export function scopesRequiredAbove(ctx: Context): readonly string[] {
  return (ctx as AcceptedCall)[REQUIRED_SCOPES] ?? []
}

function hasNoToken(request: BearerRequest): boolean {
  const { token, problem } = readBearerToken(request)
  return token === undefined && problem === undefined
}

/** Percent-encoding may hide the parameter `access_token`. */
const MAY_HAVE_TOKEN = /access_token|%/

/** The routes of `public` and `optional` are checked when they are compiled. */
const OPTIONS: Fields = {
  public: anyValue,
  optional: anyValue,
  unclaimed: optional(oneOf('reject', 'pass')),
  when: optional(functionRule),
  mountPath: optional(mountPathProblem),
}
