import type { Context, Middleware } from 'koa'
import { mountPrefix } from './mount-prefix.ts'
import { plainTarget } from './plain-target.ts'

/**
 * The path of a request below the mount path of gatehouse, or undefined if the request is outside that path.
 *
 * koa-mount, Express and connect remove a prefix from the path. If the original path of the request ends with
 * `ctx.path`, only a prefix is missing, so the original path is tried first. Express and connect keep the
 * whole address in `req.originalUrl`. The host may configure its mount path with or without their prefix, so
 * both addresses are tried. If a middleware has rewritten the path, the present path counts, with the prefix
 * of koa-mount.
 *
 * A request target whose path Koa cannot parse, such as `http://[`, is outside every mount path.
 *
 * @param mountPath without a trailing slash; empty for the root
 */
export function pathBelow(ctx: Context, mountPath: string): string | undefined {
  if (!hasPath(ctx)) return undefined
  const { originalUrl: whole } = ctx.req as { originalUrl?: unknown }
  const received = pathOf(ctx.originalUrl)
  const originals = typeof whole === 'string' ? [pathOf(whole), received] : [received]
  // For `use('/x', handler)` of Express and connect, the rest of the path `/x` is `/`.
  const isWholePrefix = ctx.path === '/' && received === '/'
  const paths = originals.filter((original) => isWholePrefix || original.endsWith(ctx.path))
  paths.push(mountPrefix(ctx) + ctx.path)
  const path = paths.find((each) => each === mountPath || each.startsWith(`${mountPath}/`))
  return path === undefined ? undefined : path.slice(mountPath.length) || '/'
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
