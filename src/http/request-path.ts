import type { Context, Middleware } from 'koa'

/**
 * The target of a request that no middleware, mount or framework has changed, if it begins with a slash:
 * every router reads the same path from it. Undefined for all other requests.
 */
export function plainTarget(ctx: Context): string | undefined {
  const { req } = ctx
  const { url } = req
  if (url === undefined || url !== ctx.originalUrl || !url.startsWith('/')) return undefined
  if ((req as { originalUrl?: unknown }).originalUrl !== undefined) return undefined
  return ctx['mountPath'] === undefined ? url : undefined
}

/**
 * Passes a request on at once if its path is neither below the mount path, nor that of a well-known document.
 * Nearly all requests of the host have such a path. Empty, `mountPath` is the root.
 */
export function passOthers(mountPath: string, middleware: Middleware, pass: Middleware): Middleware {
  return function passOthers(ctx, next) {
    const target = plainTarget(ctx)
    const isOther = target !== undefined && !target.startsWith(mountPath) && !target.startsWith('/.')
    return isOther ? pass(ctx, next) : middleware(ctx, next)
  }
}

/**
 * The path of a request below the mount path of gatehouse, or undefined if the request is outside that path.
 *
 * koa-mount, Express and connect remove a prefix from the path. If the original path ends with `ctx.path`, only a
 * prefix is missing. Express and connect keep the whole address in `req.originalUrl`, and the host may configure its
 * mount path with or without their prefix. If a middleware has rewritten the path, the present path counts, with the
 * prefix of koa-mount.
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

/** Node's `url.parse` throws for some targets, and finds no path in others. */
function hasPath(ctx: Context): boolean {
  try {
    return typeof ctx.path === 'string'
  } catch {
    return false
  }
}

/** In origin form or absolute form (RFC 9112 3.2). */
function pathOf(target: string): string {
  const path = target.replace(/\?.*$/s, '')
  return path.startsWith('/') ? path : (parsedPath(path) ?? path)
}

/** The time to parse a host grows with the square of its length. The DNS allows 255. */
function parsedPath(target: string): string | undefined {
  const short = target.replace(HOST, (all, start: string, host: string) =>
    host.length > 255 ? `${start}host` : all,
  )
  return URL.parse(short)?.pathname
}

const HOST = /^([a-z][a-z\d+.-]*:[/\\]{2,})([^/?#\\]*)/i

const TARGET = /^(?:[a-z][a-z\d+.-]*:\/\/[^/?#]*)?([^?#]*)(?:\?([^#]*))?/i

/** In origin form (`/api/x?y`) or in absolute form (RFC 9112 3.2). The query has no `?`. */
export function readTarget(target: string) {
  const [, path = '', query = ''] = TARGET.exec(target) ?? []
  if (target.startsWith('/')) return { readings: [path], query }
  const parsed = parsedPath(target)
  // Some routers read another target as a path: find-my-way runs the handler of `/api/x` for the target `*api/x`.
  const asPath = /^https?:\/\//i.test(target) ? undefined : `/${target.slice(1).replace(/[?#].*$/s, '')}`
  return { readings: [path || '/', parsed, asPath].filter((reading) => reading !== undefined), query }
}

/** If `originalUrl` does not end with `url`, both are readings: only the host knows which path selects its handler. */
export function readCallTarget(url: string, originalUrl: string | undefined) {
  const rest = readTarget(url)
  if (originalUrl === undefined || originalUrl === url) return rest
  const whole = readTarget(originalUrl)
  const query = whole.query === rest.query ? rest.query : `${whole.query}&${rest.query}`
  const isPrefixed = removedPrefix(whole.readings[0], rest.readings[0]) !== undefined
  return { readings: isPrefixed ? whole.readings : [...whole.readings, ...rest.readings], query }
}

function removedPrefix(whole = '', rest = ''): string | undefined {
  if (whole.endsWith(rest)) return whole.slice(0, whole.length - rest.length)
  return rest === '/' ? whole : undefined
}

export interface RequestPaths {
  /** As the outermost app would see them, the most likely path first, each with its readings. */
  readonly seen: readonly (readonly string[])[]
  /** The paths of the original target, and the present path with the mount path before it. */
  readonly others: readonly string[]
}

/**
 * Returns every path that a handler may see, because the gateway must not miss any. `pathBelow` returns the
 * one path that gatehouse serves.
 *
 * If middleware has also rewritten the path below a mount, the original target does not show how long the removed
 * prefix was. `ctx.mountPath` names only the last mount, which the request may have left. So every possible prefix
 * counts: each end of the removed part of the original target, and each beginning of {base_url} (`outer`).
 */
export function readRequestPaths(ctx: Context, outer: readonly string[]): RequestPaths {
  const { path, url, originalUrl } = ctx
  const { originalUrl: whole, baseUrl } = ctx.req as { originalUrl?: unknown; baseUrl?: unknown }
  const mountPath: unknown = ctx['mountPath']
  const isPlain = url.startsWith(path) && '?#'.includes(url[path.length] ?? '?') && path.startsWith('/')
  const readings = isPlain ? [path] : [path, ...readTarget(url).readings]
  if (originalUrl === url && whole === undefined && mountPath === undefined)
    return { seen: [readings], others: [] }

  const original = readTarget(originalUrl)
  const wholeTarget = typeof whole === 'string' ? readTarget(whole) : original
  // With connect, middleware may also have rewritten a part of the path.
  const frameworks =
    typeof baseUrl === 'string'
      ? [baseUrl]
      : [...endsOf(removedPrefix(wholeTarget.readings[0], original.readings[0])), '']
  const mounted = mountPrefix(ctx)
  const isMounted = mounted !== '' || (mountPath !== undefined && path !== original.readings[0])
  const outside = [...frameworks, '', ...(isMounted ? outer : [])]
  const mounts = mountPath === undefined ? [''] : prefixesOfMounts(path, mounted, original.readings[0])
  const prefixes = new Set(outside.flatMap((each) => mounts.map((mount) => each + mount)))
  const others = [...wholeTarget.readings, ...original.readings]
  if (typeof mountPath === 'string') others.push(mountPath + path)
  return { seen: [...prefixes].map((prefix) => readings.map((reading) => prefix + reading)), others }
}

/** The most likely prefixes come first: they end with `mounted`. The request may have left the last mount. */
function prefixesOfMounts(path: string, mounted: string, original = ''): readonly string[] {
  const endsBefore = (rest: string) => endsOf(removedPrefix(original, rest))
  const around = mounted === '' || path.startsWith(mounted) ? endsBefore(path) : []
  if (mounted === '') return ['', ...around]
  const inside = [...endsBefore(mounted + path), ...(path === '/' ? endsBefore(mounted) : []), '']
  return [...inside.map((each) => each + mounted), '', ...around]
}

/** A client may send a long path, but the host chooses the prefixes: `/a/b` and `/b`. */
function endsOf(path = ''): readonly string[] {
  if (path === '') return []
  const last = path.split('/').slice(1).slice(-MAX_PREFIX_SEGMENTS)
  return [path, ...last.map((_, at) => `/${last.slice(at).join('/')}`)]
}

const MAX_PREFIX_SEGMENTS = 8

/**
 * The prefix that the innermost koa-mount has removed from `ctx.path`; empty if the request is in no mount.
 *
 * After a mount, koa-mount restores the path, but not `ctx.mountPath`. So a path that begins with the prefix counts
 * as restored, unless the original target has the prefix once more in front of it.
 */
function mountPrefix(ctx: Context): string {
  const mountPath: unknown = ctx['mountPath']
  if (typeof mountPath !== 'string') return ''
  const { path } = ctx
  const isRestored = `${path}/`.startsWith(`${mountPath}/`)
  const original = ctx.originalUrl.replace(/\?.*$/s, '')
  const before = original.endsWith(path) ? original.slice(0, original.length - path.length) : ''
  return isRestored && !`${before}/`.includes(`${mountPath}/`) ? '' : mountPath
}
