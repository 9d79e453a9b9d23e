import type { Context, Middleware } from 'koa'
import { plainTarget } from '../../http/plain-target.ts'

/**
 * The path of a request below the mount path of gatehouse, or undefined if the request is outside that path.
 *
 * If the original path of the request ends with `ctx.path`, the original path counts. In this case `ctx.path`
 * is unchanged, or koa-mount has removed its prefix from `ctx.path`. Otherwise a middleware has rewritten the
 * path, and `ctx.path` counts.
 *
 * `ctx.mountPath` is not used, because it does not show whether a prefix is missing. For later middleware,
 * koa-mount restores `ctx.path`, but leaves `ctx.mountPath` set.
 *
 * Express and connect remove their prefix before Koa receives the request, and keep the whole address in
 * `req.originalUrl`. The host may configure its mount path with or without that prefix, so both addresses are
 * tried.
 *
 * A request target whose path Koa cannot parse, such as `http://[`, is outside every mount path.
 *
 * @param mountPath without a trailing slash; empty for the root
 */
export function pathBelow(ctx: Context, mountPath: string): string | undefined {
  if (!hasPath(ctx)) return undefined
  const { originalUrl } = ctx.req as { originalUrl?: unknown }
  const pathWithPrefix = typeof originalUrl === 'string' ? below(ctx, originalUrl, mountPath) : undefined
  return pathWithPrefix ?? below(ctx, ctx.originalUrl, mountPath)
}

/**
 * Whether Koa can read the path of a request. Koa uses Node's `url.parse`, which throws for some targets in
 * absolute form, and finds no path in some other targets.
 */
function hasPath(ctx: Context): boolean {
  try {
    return typeof ctx.path === 'string'
  } catch {
    return false
  }
}

function below(ctx: Context, target: string, mountPath: string): string | undefined {
  const original = pathOf(target)
  const isRewritten = !original.endsWith(ctx.path)
  const path = isRewritten ? ctx.path : original
  if (mountPath === '') return path
  if (path === mountPath) return '/'
  return path.startsWith(`${mountPath}/`) ? path.slice(mountPath.length) : undefined
}

/** The path of a request target in origin form or absolute form (RFC 9112 3.2). */
function pathOf(target: string): string {
  const withoutQuery = target.split('?', 1)[0] ?? ''
  // `URL.canParse` is unsafe: once V8 has optimized the calling function, Node 20 misreads letters such as
  // "ü" in the URL.
  return URL.parse(withoutQuery)?.pathname ?? withoutQuery
}

/**
 * Passes requests on at once whose path can only belong to the host: neither below the mount path, nor a
 * well-known document. Nearly all requests of a host are such requests.
 *
 * @param mountPath without a trailing slash; empty for the root, where every path may belong to the service
 */
export function passOthers(mountPath: string, middleware: Middleware): Middleware {
  return function passOthers(ctx, next) {
    const target = plainTarget(ctx)
    const isOther = target !== undefined && !target.startsWith(mountPath) && !target.startsWith('/.')
    return isOther ? next() : middleware(ctx, next)
  }
}
