import type { Context, Middleware } from 'koa'
import { GatehouseError } from '../../errors.ts'
import { emitAppError } from '../../host/emit-app-error.ts'
import type { ProxyCheck } from '../../health/proxy-check.ts'
import type { EventSink } from '../../host/events.ts'
import type { Logger } from '../../host/logger.ts'
import { answerError, answerErrorAsJson, type ErrorAnswer } from '../../http/error-response.ts'
import { answerWithMethods } from '../../http/public-document.ts'
import { hasTooManyParameters, TOO_MANY_PARAMETERS } from '../../http/query-limit.ts'
import { pathBelow } from '../../http/request-path.ts'
import type { Pages } from '../interaction/pages.ts'
import type { ErrorModel } from '../interaction/pages/other-pages.ts'
import { isForPrograms, normalizePath } from '../provider/routes.ts'
import { failureResponse, isServiceUnavailable, logFailure } from '../provider/service-unavailable.ts'

/**
 * Answers a request with an error: with JSON at the endpoints for programs, with a page elsewhere.
 *
 * @param path the path below {auth_url}
 */
export type Reject = (ctx: Context, path: string, answer: ErrorAnswer & ErrorModel) => void

/** Errors are JSON at the endpoints for programs, and pages for browsers elsewhere. */
export function createReject(pages: Pages): Reject {
  return function reject(ctx, path, answer) {
    if (isForPrograms(path)) answerErrorAsJson(ctx, answer)
    else answerError(ctx, pages, answer)
  }
}

/** How requests at and below one mount path are answered. */
export interface RouterOptions {
  /** Where the host's app mounts the service; see `pathBelow`. */
  readonly mountPath: string
  /**
   * Whether a path belongs to the service. All other requests go to the next middleware at once. So the host's own
   * pages do not wait for the store, and may have any number of query parameters.
   */
  owns(path: string): boolean
  /** The methods of each path; `DOCUMENT_METHODS` for a public document. */
  readonly methods: Readonly<Record<string, readonly string[]>>
  /** Answers a preflight (Fetch 3.2.2) from an origin whose pages may use the address; resolves to false otherwise. */
  answerPreflight?(ctx: Context, path: string): Promise<boolean>
  /** Answers a request and resolves to true, or resolves to false and leaves the request to the host. */
  answer(ctx: Context, path: string): Promise<boolean>
  readonly reject: Reject
  readonly logger: Logger
  readonly events: EventSink
  readonly proxyCheck: Pick<ProxyCheck, 'examine'>
}

/**
 * The authorization service as one middleware of the host's app. Requests for other paths go to the next middleware.
 */
export function createRouter(options: RouterOptions): Middleware {
  return async function route(ctx, next) {
    const path = pathBelow(ctx, options.mountPath)
    if (path === undefined || !options.owns(path) || !(await answer(options, ctx, path))) await next()
  }
}

async function answer(options: RouterOptions, ctx: Context, path: string): Promise<boolean> {
  // With the opener policy of a middleware above, such as Helmet, on any answer of an authorization, redirects included, an
  // application that opened the authorization in a popup would lose its reference to the popup (HTML 7.1.3).
  if (!isForPrograms(path)) {
    ctx.remove('Cross-Origin-Opener-Policy')
    ctx.remove('Cross-Origin-Opener-Policy-Report-Only')
  }
  if (hasTooManyParameters(ctx)) {
    options.reject(ctx, path, { status: 400, error: 'invalid_request', description: TOO_MANY_PARAMETERS })
    return true
  }
  try {
    if (ctx.method === 'OPTIONS' && (await options.answerPreflight?.(ctx, path))) return true
    const methods = options.methods[normalizePath(path)]
    if (methods && answerWithMethods(ctx, methods)) return true
    options.proxyCheck.examine(ctx, true)
    return await options.answer(ctx, path)
  } catch (error) {
    fail(options, ctx, path, asError(error))
    return true
  }
}

/**
 * Answers a request that failed on our side, and reports the failure to the host. The answer does not reveal the cause.
 */
function fail({ logger, events, reject }: RouterOptions, ctx: Context, path: string, error: Error): void {
  logFailure(logger, error, { path: withoutId(path) })
  events.emit('error', { error })
  if (!isServiceUnavailable(error)) emitAppError(ctx, error)
  const { headers, ...answer } = failureResponse(error)
  ctx.set({ ...headers })
  reject(ctx, path, answer)
}

/**
 * The path without the id of an interaction. The id must not be logged, because the cookie that identifies the owner of
 * the interaction contains the same id.
 */
function withoutId(path: string): string {
  return path.replace(/^(\/(?:interaction|oauth2\/authorize)\/)[^/]+/i, '$1<uid>')
}

function asError(error: unknown): Error {
  if (error instanceof Error) return error
  const message = 'a callback of the host threw a value that is not an Error'
  return new GatehouseError('ERR_HOST_CALLBACK', message, { cause: error })
}
