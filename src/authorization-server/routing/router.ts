import type { Context, Middleware, Next } from 'koa'
import { GatehouseError } from '../../errors.ts'
import { emitAppError } from '../../host/emit-app-error.ts'
import { answerError, answerErrorAsJson, type ErrorAnswer } from '../../http/error-response.ts'
import { answerWithMethods } from '../../http/public-document.ts'
import { hasTooManyParameters, TOO_MANY_PARAMETERS } from '../../http/query-limit.ts'
import { pathBelow } from '../../http/request-path.ts'
import type { Pages } from '../interaction/pages.ts'
import type { ErrorModel } from '../interaction/pages/other-pages.ts'
import type { SharedDependencies } from '../provider/dependencies.ts'
import { isForPrograms, normalizePath } from '../provider/routes.ts'
import { failureResponse, isServiceUnavailable, logFailure } from '../provider/service-unavailable.ts'

/** JSON at the endpoints for programs, a page elsewhere. `path` is below {auth_url}. */
export type Reject = (ctx: Context, path: string, answer: ErrorAnswer & ErrorModel) => void

export function createReject(pages: Pages): Reject {
  return function reject(ctx, path, answer) {
    if (isForPrograms(path)) answerErrorAsJson(ctx, answer)
    else answerError(ctx, pages, answer)
  }
}

export interface Routes {
  readonly mountPath: string
  /** The host's own pages do not wait for the store, and may have any number of query parameters. */
  owns(path: string): boolean
  /** `DOCUMENT_METHODS` for a public document. */
  readonly methods: Readonly<Record<string, readonly string[]>>
  /** Fetch 3.2.2. Resolves to false if pages of this origin may not use the address. */
  answerPreflight?(ctx: Context, path: string): Promise<boolean>
  /** Resolves to false if it leaves the request to the host. */
  answer(ctx: Context, path: string): Promise<boolean>
}

/** The service as one middleware: methods (405), preflights, too many parameters (400). Other paths are the host's. */
export function createRouter(parts: SharedDependencies, routes: Routes): Middleware {
  const { logger, events, proxyCheck } = parts
  const reject = createReject(parts.pages)

  async function answer(ctx: Context, path: string): Promise<boolean> {
    // With the opener policy of a middleware above, such as Helmet, on any answer of an authorization, redirects
    // included, an application that opened it in a popup would lose its reference to the popup (HTML 7.1.3).
    if (!isForPrograms(path)) {
      ctx.remove('Cross-Origin-Opener-Policy')
      ctx.remove('Cross-Origin-Opener-Policy-Report-Only')
    }
    if (hasTooManyParameters(ctx)) {
      reject(ctx, path, { status: 400, error: 'invalid_request', description: TOO_MANY_PARAMETERS })
      return true
    }
    try {
      if (ctx.method === 'OPTIONS' && (await routes.answerPreflight?.(ctx, path))) return true
      const methods = routes.methods[normalizePath(path)]
      if (methods && answerWithMethods(ctx, methods)) return true
      proxyCheck.examine(ctx, true)
      return await routes.answer(ctx, path)
    } catch (error) {
      fail(ctx, path, asError(error))
      return true
    }
  }

  function fail(ctx: Context, path: string, error: Error): void {
    logFailure(logger, error, { path: withoutId(path) })
    events.emit('error', { error })
    if (!isServiceUnavailable(error)) emitAppError(ctx, error)
    const { headers, ...failure } = failureResponse(error)
    ctx.set({ ...headers })
    reject(ctx, path, failure)
  }

  async function answerOrPass(ctx: Context, path: string, next: Next): Promise<void> {
    if (!(await answer(ctx, path))) await next()
  }

  return function route(ctx, next) {
    const path = pathBelow(ctx, routes.mountPath)
    return path === undefined || !routes.owns(path) ? next() : answerOrPass(ctx, path, next)
  }
}

/** The id must not be logged, because it is also in the cookie that identifies its owner. */
function withoutId(path: string): string {
  return path.replace(/^(\/(?:interaction|oauth2\/authorize)\/)[^/]+/i, '$1<uid>')
}

function asError(error: unknown): Error {
  if (error instanceof Error) return error
  const message = 'a callback of the host threw a value that is not an Error'
  return new GatehouseError('ERR_HOST_CALLBACK', message, { cause: error })
}
