import type { Context } from 'koa'
import { mountPrefix } from '../http/mount-prefix.ts'

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

/** The paths of a request in a Koa app. Each path is the list of its readings. */
export interface RequestPaths {
  /**
   * The paths that the handler of the request may see, as the outermost app would see them, the most likely
   * first. Only the present path, unless a mount or a framework has removed a prefix.
   */
  readonly seen: readonly (readonly string[])[]
  /** Further paths: those of the original target, which middleware above may have rewritten, and of the mount. */
  readonly others: readonly string[]
}

/**
 * Reads the paths of a request.
 *
 * koa-mount, Express and Connect remove a prefix from the path. If middleware above has also rewritten the
 * path, the original target does not tell how long the prefix was, and `ctx.mountPath` names only the last
 * mount, which may have passed the request on. So every prefix counts that ends the removed part of the
 * original target, or begins {base_url}, with and without the last mount.
 *
 * @param outer the prefixes of {base_url} that mounts may have removed
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
  // Express names the prefix that it has removed. With connect, a part of the difference may be a rewrite.
  const frameworks =
    typeof baseUrl === 'string' ? [baseUrl] : [...endsOf(removedPrefix(wholeTarget, original) ?? ''), '']
  const mounted = mountPrefix(ctx)
  const isMounted = mounted !== '' || (mountPath !== undefined && path !== original.readings[0])
  const outside = [...frameworks, '', ...(isMounted ? outer : [])]
  const mounts = mountPath === undefined ? [''] : prefixesOfMounts(ctx, mounted, original)
  const prefixes = new Set(outside.flatMap((each) => mounts.map((mount) => each + mount)))
  const others = [...wholeTarget.readings, ...original.readings]
  if (typeof mountPath === 'string') others.push(mountPath + path)
  return { seen: [...prefixes].map((prefix) => readings.map((reading) => prefix + reading)), others }
}

/**
 * The prefixes that mounts may have removed from the path, the most likely first: those that end with `mounted`,
 * and if the request may have left the last mount, those of the mounts around it.
 */
function prefixesOfMounts(ctx: Context, mounted: string, original: RequestTarget): readonly string[] {
  const { path } = ctx
  const endsBefore = (rest: string) => endsOf(removedPrefix(original, { readings: [rest], query: '' }) ?? '')
  const around = mounted === '' || path.startsWith(mounted) ? endsBefore(path) : []
  if (mounted === '') return ['', ...around]
  const inside = [...endsBefore(mounted + path), ...(path === '/' ? endsBefore(mounted) : []), '']
  return [...inside.map((each) => each + mounted), '', ...around]
}

/**
 * A path, and the paths without its first segments: `/a/b` and `/b`. Only the last segments of a long path
 * count, because the host chooses the prefixes, and a client may have sent a long path.
 */
function endsOf(path: string): readonly string[] {
  if (path === '') return []
  const last = path.split('/').slice(1).slice(-MAX_PREFIX_SEGMENTS)
  return [path, ...last.map((_, at) => `/${last.slice(at).join('/')}`)]
}

const MAX_PREFIX_SEGMENTS = 8
