import type { Context, Middleware, Next, ParameterizedContext } from 'koa'
import { collectProblems } from '../errors.ts'
import { authorizationFields, readBearerToken, type BearerRequest } from './bearer-token.ts'
import { locateReadings } from './canonical-path.ts'
import type { GatewayDependencies } from './dependencies.ts'
import type { GatewayParts } from './parts.ts'
import { createOpenRoutes, type PublicRoute } from './open-routes.ts'
import { isUnclaimed, requiredScopesOf } from './required-scope.ts'
import type { Principal } from './principal.ts'
import type { ErrorResponse } from './error-responses.ts'
import { readRequestPath } from './request-path.ts'
import { wellKnown } from './well-known.ts'

/** What `gateway.middleware()` takes. */
export interface GatewayMiddlewareOptions {
  /**
   * Routes below {base_url} that need no token, written as operations are: `['GET /status']` opens `/api/status` where
   * the audience is `https://example.com/api`. No token is looked at there, and `ctx.state.auth` stays undefined. What is
   * not below {base_url} needs no entry: the gateway lets it pass. @default []
   */
  readonly public?: readonly PublicRoute[] | undefined
  /**
   * Routes below {base_url} that answer without a token too: `['GET /articles']`. A token is verified where there is one,
   * and must carry the scope of the operation, if the route is one; without a token `ctx.state.auth` stays undefined.
   * @default []
   */
  readonly optional?: readonly PublicRoute[] | undefined
  /**
   * What becomes of a path below {base_url} that no operation claims with any method: `'reject'` answers it with 404,
   * `'pass'` hands it on without looking at a token, for an API that serves a front end as well. @default 'reject'
   */
  readonly unclaimed?: 'reject' | 'pass' | undefined
  /** Which requests are the gateway's at all; the others pass unseen. @default all below {base_url} */
  readonly when?: ((ctx: Context) => boolean) | undefined
  /**
   * Path at which the host's app sees {base_url}, where a proxy strips a prefix; empty for the root.
   * @default the path of {base_url}
   */
  readonly mountPath?: string | undefined
}

/**
 * Guards everything below {base_url}. The request passes on with its path as it was.
 *
 * @throws {GatehouseError} `ERR_OPTIONS` with all that is wrong with the options
 */
export function guard(
  dependencies: GatewayDependencies,
  parts: GatewayParts,
  options: GatewayMiddlewareOptions = {},
): Middleware<{ auth: Principal }> {
  checkOptions(options)
  const { authorizeRequest, errorResponses, readiness } = parts
  const { when, unclaimed } = options
  const locatePath = parts.locatorAt(options.mountPath)
  const openRoutes = openRoutesOf(dependencies, options)
  const metadata = wellKnown(dependencies)

  return async function guard(ctx, next) {
    if (when !== undefined && !when(ctx)) return next()
    // Open to all, also where the API is a whole host and everything is below it.
    return metadata(ctx, () => decide(ctx, next))
  }

  async function decide(ctx: ParameterizedContext<{ auth: Principal }>, next: Next): Promise<unknown> {
    const location = locateRequest(ctx)
    if (location.place === 'elsewhere') return next()
    if (location.place === 'unclear') return writeRejection(ctx, errorResponses.notFound(location.problem))

    if (!readiness.isReady && !(await readiness.soonReady()))
      return writeRejection(ctx, errorResponses.unavailable())
    const { path, endsInSlash = false } = location
    const open = openRoutes?.find(ctx.method, path, endsInSlash)
    if (open === 'public') return next()

    const request = bearerRequestOf(ctx)
    if (open === 'optional' && hasNoToken(request)) return next()
    const scopes = requiredScopesOf(ctx.method, path, endsInSlash, dependencies)
    if (scopes === undefined && open === undefined) {
      const passes = unclaimed === 'pass' && isUnclaimed(path, endsInSlash || path === '/', dependencies)
      return passes ? next() : writeRejection(ctx, errorResponses.notFound())
    }

    const outcome = await authorizeRequest.admit(request, scopes ?? [])
    if (!outcome.ok) return writeRejection(ctx, outcome)
    ctx.state.auth = outcome.principal
    return next()
  }

  function locateRequest(ctx: Context) {
    try {
      const location = locateReadings(locatePath, readRequestPath(ctx))
      // Behind a mount whose own path is no part of {base_url}, what the app inside sees is what counts.
      return location.place === 'elsewhere' ? locatePath(ctx.path) : location
    } catch {
      // Node's URL parser gives up on some absolute forms, and so would every router that asks for `ctx.path`.
      return { place: 'unclear', problem: 'the request target is malformed' } as const
    }
  }
}

/** What of a request says who is calling. */
export function bearerRequestOf(ctx: Context): BearerRequest {
  return { authorization: authorizationFields(ctx.headers, ctx.req.rawHeaders), query: ctx.querystring }
}

/**
 * Answers with a rejection. Written and not thrown: Koa drops the headers that are set already (CORS) when it
 * answers an error, and tells the app's `error` listeners.
 */
export function writeRejection(ctx: Context, rejection: ErrorResponse): void {
  ctx.status = rejection.status
  ctx.set(rejection.headers)
  ctx.body = rejection.body
}

/** What opens routes; undefined where nothing does, so that no call looks for one. */
function openRoutesOf(dependencies: GatewayDependencies, options: GatewayMiddlewareOptions) {
  const { public: publicRoutes, optional, mountPath } = options
  if (publicRoutes === undefined && optional === undefined) return undefined
  const base = mountPath ?? new URL(dependencies.audience).pathname
  return createOpenRoutes({ public: publicRoutes, optional }, base, dependencies)
}

function hasNoToken(request: BearerRequest): boolean {
  const { token, problem } = readBearerToken(request)
  return token === undefined && problem === undefined
}

const KNOWN = ['public', 'optional', 'unclaimed', 'when', 'mountPath']

function checkOptions(options: GatewayMiddlewareOptions): void {
  const problems = collectProblems('ERR_OPTIONS', 'the options of the gateway are not valid')
  for (const name of Object.keys(options)) {
    if (!KNOWN.includes(name)) problems.add(name, `is not an option; there are ${KNOWN.join(', ')}`)
  }
  const { when, unclaimed, mountPath } = options
  if (unclaimed !== undefined && unclaimed !== 'reject' && unclaimed !== 'pass') {
    problems.add('unclaimed', "must be 'reject' or 'pass'")
  }
  if (when !== undefined && typeof when !== 'function') problems.add('when', 'must be a function of ctx')
  if (mountPath !== undefined && !/^(?:\/[^/?#]+)*\/?$/.test(mountPath)) {
    problems.add('mountPath', "must be a path such as '/api', or empty for the root")
  }
  problems.throwIfAny()
}
