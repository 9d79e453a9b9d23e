import type { Context, Middleware } from 'koa'
import { GatehouseError } from '../../errors.ts'
import { answerWithMethods } from '../../http/public-document.ts'
import { hasTooManyParameters, TOO_MANY_PARAMETERS } from '../../http/query-limit.ts'
import type { Reject } from './reject.ts'
import { normalizePath } from '../provider/routes.ts'
import type { InsecureProxyWarning } from './insecure-proxy-warning.ts'
import { pathBelow } from '../../http/request-path.ts'

/** How requests at and below one mount path are answered. */
export interface RouterOptions {
  /** Where the host's app mounts the service; see `pathBelow`. */
  readonly mountPath: string
  /**
   * Whether a path belongs to the service. All other requests go to the next middleware at once, so the
   * host's own pages never wait for the store, and their queries are not limited.
   */
  owns(path: string): boolean
  /** The methods of each path; `DOCUMENT_METHODS` for a public document. */
  readonly methods: Readonly<Record<string, readonly string[]>>
  /** Answers a request and resolves to true, or resolves to false and leaves the request to the host. */
  answer(ctx: Context, path: string): Promise<boolean>
  readonly reject: Reject
  /** Answers a request that failed on our side. */
  fail(ctx: Context, path: string, error: Error): void
  readonly warnOnInsecureProxy: InsecureProxyWarning
}

/**
 * The authorization service as one middleware of the host's app. It passes requests of other paths to the
 * next middleware.
 */
export function createRouter(options: RouterOptions): Middleware {
  return async function route(ctx, next) {
    const path = pathBelow(ctx, options.mountPath)
    if (path === undefined || !options.owns(path) || !(await answer(options, ctx, path))) await next()
  }
}

async function answer(options: RouterOptions, ctx: Context, path: string): Promise<boolean> {
  if (hasTooManyParameters(ctx)) {
    options.reject(ctx, path, { status: 400, error: 'invalid_request', description: TOO_MANY_PARAMETERS })
    return true
  }
  const methods = options.methods[normalizePath(path)]
  if (methods && answerWithMethods(ctx, methods)) return true
  options.warnOnInsecureProxy(ctx)
  try {
    return await options.answer(ctx, path)
  } catch (error) {
    options.fail(ctx, path, asError(error))
    return true
  }
}

function asError(error: unknown): Error {
  if (error instanceof Error) return error
  return new GatehouseError(
    'ERR_HOST_CALLBACK',
    'a callback of the host threw a value that is not an Error',
    {
      cause: error,
    },
  )
}
