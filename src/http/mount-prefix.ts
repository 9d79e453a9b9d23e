import type { Context } from 'koa'

/**
 * The prefix that koa-mount has removed from `ctx.path`; empty if the request is in no mount. If mounts are
 * nested, it is the prefix of the innermost mount.
 *
 * koa-mount leaves `ctx.mountPath` set after the request has left the mount, and restores the path, which
 * begins with the prefix. So the path lost a prefix only if it does not begin with the prefix, or if the
 * original target also has the prefix in front of the path.
 */
export function mountPrefix(ctx: Context): string {
  const mountPath: unknown = ctx['mountPath']
  if (typeof mountPath !== 'string') return ''
  const { path, originalUrl } = ctx
  const isRestored = `${path}/`.startsWith(`${mountPath}/`)
  const [original = ''] = originalUrl.split('?', 1)
  const before = original.endsWith(path) ? original.slice(0, original.length - path.length) : ''
  return isRestored && !`${before}/`.includes(`${mountPath}/`) ? '' : mountPath
}
