import type { Context } from 'koa'

/** The parts of a request target. */
export interface RequestTarget {
  /** The paths that routers may read from the target; one path if all routers agree. */
  readonly readings: readonly string[]
  /** The query without its `?`. */
  readonly query: string
}

const TARGET = /^(?:[a-z][a-z\d+.-]*:\/\/[^/?#]*)?([^?#]*)(?:\?([^#]*))?/i

/** Parses a request target in origin form (`/api/x?y`) or in absolute form (RFC 9112 3.2). */
export function readTarget(target: string): RequestTarget {
  const [, path = '', query = ''] = TARGET.exec(target) ?? []
  if (target.startsWith('/')) return { readings: [path], query }
  // `URL.parse` is used here because `URL.canParse` is wrong in Node 20. In a function that V8 has optimized,
  // `URL.canParse` misreads letters such as "ü".
  const parsed = URL.parse(target)?.pathname
  // A target may begin with neither `http://` nor `https://`. Some routers then read the whole target as a
  // path, and take its first character for the slash. For example, find-my-way runs the handler of `/api/x`
  // for the target `*api/x`.
  const asPath = /^https?:\/\//i.test(target) ? undefined : `/${target.slice(1).replace(/[?#].*$/s, '')}`
  return { readings: [path || '/', parsed, asPath].filter((reading) => reading !== undefined), query }
}

/**
 * Parses the target of a call from which a framework may have removed a prefix. Express and Connect keep the
 * whole target in `originalUrl`. If `originalUrl` ends with `url`, only `originalUrl` is read. Otherwise the
 * paths of `originalUrl` and of `url` both count as readings, because only the host knows which of the two
 * selects its handler.
 */
export function readCallTarget(url: string, originalUrl: string | undefined): RequestTarget {
  const rest = readTarget(url)
  if (originalUrl === undefined || originalUrl === url) return rest
  const whole = readTarget(originalUrl)
  const query = whole.query === rest.query ? rest.query : `${whole.query}&${rest.query}`
  const isPrefixed = removedPrefix(whole, rest) !== undefined
  return { readings: isPrefixed ? whole.readings : [...whole.readings, ...rest.readings], query }
}

/**
 * The prefix that a framework removed from the target `whole` to get the target `rest`; undefined if `whole`
 * does not end with `rest`.
 */
function removedPrefix(whole: RequestTarget, { readings: [rest = ''] }: RequestTarget): string | undefined {
  const [path = ''] = whole.readings
  if (path.endsWith(rest)) return path.slice(0, path.length - rest.length)
  return rest === '/' ? path : undefined
}

/**
 * All readings of the path of a request as the outermost app sees it. Inside koa-mount, and inside of Express
 * or Connect, `ctx.path` lacks the prefix that the gateway needs, so this function restores it.
 */
export function readRequestPath(ctx: Context): readonly string[] {
  const { path, url } = ctx
  const prefix = prefixBeforeKoa(ctx) + prefixInKoa(ctx)
  const isPlain = url.startsWith(path) && '?#'.includes(url[path.length] ?? '?') && path.startsWith('/')
  const readings = isPlain ? [path] : [path, ...readTarget(url).readings]
  if (prefix === '') return readings
  return readings.map((reading) => prefix + reading)
}

/**
 * The prefix that koa-mount removed from `ctx.path`. `ctx.mountPath` names only the innermost of nested
 * mounts, and is still set after the request has left the mount. So the prefix is taken from
 * `ctx.originalUrl`.
 */
function prefixInKoa(ctx: Context): string {
  const mountPath: unknown = ctx['mountPath']
  if (typeof mountPath !== 'string') return ''
  const [original = ''] = readTarget(ctx.originalUrl).readings
  if (original === ctx.path) return ''
  if (ctx.path === '/' && original.endsWith(mountPath)) return original
  const prefix = original.slice(0, -ctx.path.length)
  return prefix + ctx.path === original && prefix.endsWith(mountPath) ? prefix : ''
}

/**
 * The prefix that Express or Connect removed before Koa received the request. Express and Connect keep the
 * whole target in `originalUrl` of Node's request. Koa does not read that property, so `ctx.originalUrl`
 * lacks the prefix.
 */
function prefixBeforeKoa({ req, originalUrl }: Context): string {
  const { originalUrl: whole } = req as { originalUrl?: unknown }
  if (typeof whole !== 'string' || whole === originalUrl) return ''
  return removedPrefix(readTarget(whole), readTarget(originalUrl)) ?? ''
}
