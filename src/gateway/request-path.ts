import type { Context } from 'koa'

/** A request target, taken apart. */
export interface RequestTarget {
  /** Every way in which a router might read its path; one if all agree. */
  readonly readings: readonly string[]
  /** Without its `?`. */
  readonly query: string
}

const TARGET = /^(?:[a-z][a-z\d+.-]*:\/\/[^/?#]*)?([^?#]*)(?:\?([^#]*))?/i

/** Takes a request target apart, in origin form (`/api/x?y`) or in absolute form (RFC 9112 3.2). */
export function readTarget(target: string): RequestTarget {
  const [, path = '', query = ''] = TARGET.exec(target) ?? []
  if (target.startsWith('/')) return { readings: [path], query }
  return { readings: [path === '' ? '/' : path, ...parsedPath(target), ...asPath(target)], query }
}

/**
 * Takes the target of a call apart that a framework may have taken a prefix off. Express and Connect keep the whole in
 * `originalUrl`: it counts where it ends with what is left. Where the two differ otherwise, both are readings, since only
 * the host knows which of them its handler goes by.
 */
export function readCallTarget(url: string, originalUrl: string | undefined): RequestTarget {
  const rest = readTarget(url)
  if (originalUrl === undefined || originalUrl === url) return rest
  const whole = readTarget(originalUrl)
  const query = whole.query === rest.query ? rest.query : `${whole.query}&${rest.query}`
  const isPrefixed = takenOff(whole, rest) !== undefined
  return { readings: isPrefixed ? whole.readings : [...whole.readings, ...rest.readings], query }
}

/** What was taken off the path of a target, of which the rest is left; undefined if it is no rest of it. */
function takenOff(whole: RequestTarget, { readings: [rest = ''] }: RequestTarget): string | undefined {
  const [path = ''] = whole.readings
  if (path.endsWith(rest)) return path.slice(0, path.length - rest.length)
  return rest === '/' ? path : undefined
}

/**
 * The path of a request as the outermost app sees it, in every reading. Inside koa-mount, and in an app inside of
 * Express or connect, `ctx.path` has lost the part that the gateway has to look at, so it is put back.
 */
export function readRequestPath(ctx: Context): readonly string[] {
  const { path, url } = ctx
  const prefix = takenOffBeforeKoa(ctx) + mountedAt(ctx)
  const isPlain = url.startsWith(path) && '?#'.includes(url[path.length] ?? '?') && path.startsWith('/')
  const readings = isPlain ? [path] : [path, ...readTarget(url).readings]
  if (prefix === '') return readings
  return readings.map((reading) => prefix + reading)
}

/**
 * What koa-mount took off `ctx.path`. Its `ctx.mountPath` names only the innermost of nested mounts, and stays
 * behind when the mount is left, so `ctx.originalUrl` has the last word.
 */
function mountedAt(ctx: Context): string {
  const mountPath: unknown = ctx['mountPath']
  if (typeof mountPath !== 'string') return ''
  const [original = ''] = readTarget(ctx.originalUrl).readings
  if (original === ctx.path) return ''
  if (ctx.path === '/' && original.endsWith(mountPath)) return original
  const prefix = original.slice(0, -ctx.path.length)
  return prefix + ctx.path === original && prefix.endsWith(mountPath) ? prefix : ''
}

/**
 * What Express or connect took off before Koa saw the request. They keep the whole on the request itself, where
 * Koa does not look: its `ctx.originalUrl` is what is left.
 */
function takenOffBeforeKoa({ req, originalUrl }: Context): string {
  const { originalUrl: whole } = req as { originalUrl?: unknown }
  if (typeof whole !== 'string' || whole === originalUrl) return ''
  return takenOff(readTarget(whole), readTarget(originalUrl)) ?? ''
}

/**
 * The path for routers that take a target without an `http` address for a path, and its first character for the slash:
 * find-my-way finds the handler of `/api/x` at `*api/x`.
 */
function asPath(target: string): string[] {
  return /^https?:\/\//i.test(target) ? [] : [`/${target.slice(1).replace(/[?#].*$/s, '')}`]
}

function parsedPath(target: string): string[] {
  // Not `URL.canParse`: once a caller of that is compiled, Node 20 misreads letters such as "ü" in it.
  const url = URL.parse(target)
  return url === null ? [] : [url.pathname]
}
