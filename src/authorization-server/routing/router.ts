import type { Context, Middleware, Next } from 'koa'
import { GatehouseError } from '../../errors.ts'
import { answerErrorAsJson } from '../../http/error-response.ts'
import { answerDocumentOptions, answerOptions, DOCUMENT_METHODS } from '../../http/public-document.ts'
import { normalizePath } from '../provider/routes.ts'
import { pathBelow } from './mount-path.ts'
import type { InsecureProxyWarning } from './insecure-proxy-warning.ts'

/** What answers requests below {auth_url}, in the order in which it is asked. */
export interface ServiceParts {
  /** Where the host's app sees the service; see `pathBelow`. */
  readonly mountPath: string
  /** Whether an address below is the service's at all; a host's other pages never wait for the store. */
  owns(path: string): boolean
  /** Methods that each address answers; {@link DOCUMENT_METHODS} where there is a public document. */
  readonly methods: Readonly<Record<string, readonly string[]>>
  /** Waits until requests can be answered; rejects if that takes too long. */
  ready(): Promise<void>
  /** Each answers the request and says true, or leaves it alone. */
  readonly answerers: readonly ((ctx: Context, path: string) => Promise<boolean>)[]
  /** Answers a request that failed on our side. */
  fail(ctx: Context, path: string, error: Error): void
  readonly warnOnInsecureProxy: InsecureProxyWarning
}

/** The authorization service as one middleware of the host's app; what is not its own goes on to the next. */
export function service(parts: ServiceParts): Middleware {
  return async function service(ctx: Context, next: Next): Promise<void> {
    const path = pathBelow(ctx, parts.mountPath)
    if (path === undefined || !parts.owns(path) || !(await answer(ctx, path))) await next()
  }

  async function answer(ctx: Context, path: string): Promise<boolean> {
    const methods = parts.methods[normalizePath(path)]
    if (rejectMethod(ctx, methods) || describeMethods(ctx, methods)) return true
    parts.warnOnInsecureProxy(ctx)
    try {
      await parts.ready()
      for (const answerer of parts.answerers) {
        if (await answerer(ctx, path)) return true
      }
      return false
    } catch (error) {
      parts.fail(ctx, path, asError(error))
      return true
    }
  }
}

/** Answers 405 where an address is ours, but not with this method (RFC 9110 15.5.6). */
function rejectMethod(ctx: Context, methods: readonly string[] | undefined): boolean {
  if (!methods || methods.includes(ctx.method)) return false
  ctx.set('Allow', methods.join(', '))
  const description = `${ctx.method} is not answered here; use ${methods.join(' or ')}`
  answerErrorAsJson(ctx, { status: 405, error: 'invalid_request', description })
  return true
}

/** Answers OPTIONS. Pages of other origins may read documents, and use no endpoint. */
function describeMethods(ctx: Context, methods: readonly string[] | undefined): boolean {
  if (!methods || ctx.method !== 'OPTIONS') return false
  if (methods === DOCUMENT_METHODS) answerDocumentOptions(ctx)
  else answerOptions(ctx, methods)
  return true
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
