import type { Context } from 'koa'

/**
 * The target of a request, if nothing has changed it: it begins with one slash, and no middleware, mount or
 * framework has rewritten it or removed a prefix. So every router below reads the same path from it. Undefined
 * for all other requests.
 */
export function plainTarget(ctx: Context): string | undefined {
  const { req } = ctx
  const { url } = req
  if (url === undefined || url !== ctx.originalUrl || !url.startsWith('/')) return undefined
  if ((req as { originalUrl?: unknown }).originalUrl !== undefined) return undefined
  return ctx['mountPath'] === undefined ? url : undefined
}
