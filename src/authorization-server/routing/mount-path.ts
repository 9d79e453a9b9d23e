import type { Context } from 'koa'

/**
 * The path of a request below the one that gatehouse is mounted at, or undefined if it is not below it.
 *
 * koa-mount takes its prefix off `ctx.path`, and leaves `ctx.mountPath` behind when it is done; routers leave
 * the path alone. So what counts is the path as the request came in, as long as `ctx.path` is still its end;
 * where something above rewrote the path, it is the rewritten one. An app inside of Express or connect may be
 * described by either path, with the prefix that was taken off before Koa saw it, or without.
 *
 * A request target of which Koa cannot tell the path, such as `http://[`, is below nothing.
 *
 * @param mountPath without a trailing slash; empty for the root
 */
export function pathBelow(ctx: Context, mountPath: string): string | undefined {
  if (!hasPath(ctx)) return undefined
  const { originalUrl } = ctx.req as { originalUrl?: unknown }
  const outside = typeof originalUrl === 'string' ? below(ctx, originalUrl, mountPath) : undefined
  return outside ?? below(ctx, ctx.originalUrl, mountPath)
}

/** Node's `url.parse`, which Koa asks for the path, throws at some targets in absolute form, and finds no path in others. */
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
  // Not `URL.canParse`: once a caller of that is compiled, Node 20 misreads letters such as "ü" in it.
  return URL.parse(withoutQuery)?.pathname ?? withoutQuery
}
