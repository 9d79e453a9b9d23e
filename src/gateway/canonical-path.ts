import { foldText, isAscii } from '../catalog/fold-text.ts'

/**
 * The location of a path: outside of the API, below {base_url}, or unclear because routers would read it differently.
 * Below {base_url}, `path` is the rest of the path as it was written, without its trailing slash.
 */
export type Location =
  | { readonly place: 'elsewhere' }
  | { readonly place: 'below'; readonly path: string; readonly endsInSlash: boolean }
  | { readonly place: 'unclear'; readonly problem: string }

/** Locates a path. */
export type LocatePath = (path: string) => Location

const ELSEWHERE: Location = { place: 'elsewhere' }

/** The characters of a path (RFC 3986 3.3) without `;`, at which some routers cut paths. */
const PATH = /^\/[\w\-.~!$&'()*+,=:@%/]*$/
/** A path without `;`, percent signs, empty segments and dot segments. All routers read such a path alike. */
const PLAIN_PATH = /^\/(?:(?!\.{1,2}(?:\/|$))[\w\-.~!$&'()*+,=:@]+(?:\/|$))*$/
/** A character that is percent-encoded without need (RFC 3986 2.3), so two routers may see two paths. */
const ENCODED_UNRESERVED = /%(?:2[de]|3\d|[46][1-9a-f]|[57][\da]|5f|7e)/i
/** A character whose encoding is optional (RFC 3986 3.3: sub-delims, `:`, `@`). Some routers distinguish both forms. */
const ENCODED_BY_CHOICE = /%(2[146-9abc]|3[ad]|40)/gi
/** A slash, a backslash, a control character, or a percent sign that would be decoded a second time. */
const ENCODED_TROUBLE = /%(?:2f|5c|[01][\da-f]|7f|25[\da-f]{2})/i
/** Backslashes, empty segments, dot segments or percent-encoding, which Unicode folding must not produce. */
const FOLDED_TROUBLE = /\\|\/\/|\/\.{1,2}(?:\/|$)|%[\da-f]{2}/i
// eslint-disable-next-line no-control-regex -- the pattern searches for them
const INVISIBLE = /[\u0000-\u0020\u007f]/g

/**
 * Creates the locator of a base path.
 *
 * The gateway and the router behind it must select the same handler. Routers differ: some decode percent signs first,
 * resolve `..`, merge slashes, cut at `;`, fold Unicode or ignore letter case. So this function rewrites nothing. A
 * path that all routers read alike is located. A path that some router might read as below the base, but that is not in
 * canonical form, is `unclear`, and the gateway rejects it. Canonical paths may differ only in letter case, in a
 * trailing slash and in percent signs that are necessary.
 *
 * @param base path of {base_url}; `/` or empty for a whole host
 */
export function createPathLocator(base: string): LocatePath {
  const prefix = base.replace(/\/+$/, '').toLowerCase()
  const prefixes = undisguise(prefix).map((text) => text.split('/').filter(Boolean))

  return function locatePath(path) {
    if (PLAIN_PATH.test(path)) return isBelow(path) ? below(path) : ELSEWHERE
    if (!mayBeBelow(path)) return ELSEWHERE
    const problem = findProblem(path)
    if (problem !== undefined) return { place: 'unclear', problem }
    return isBelow(path) ? below(path) : { place: 'unclear', problem: NOT_CANONICAL }
  }

  function isBelow(path: string): boolean {
    return (
      path.slice(0, prefix.length).toLowerCase() === prefix &&
      (path.length === prefix.length || path[prefix.length] === '/')
    )
  }

  function below(path: string): Location {
    // The root of a host has only one form.
    const endsInSlash = path !== '/' && path.endsWith('/')
    return {
      place: 'below',
      path: path.slice(prefix.length, endsInSlash ? -1 : undefined) || '/',
      endsInSlash,
    }
  }

  /** Whether some router, however it reads the path, might route it below the base. */
  function mayBeBelow(path: string): boolean {
    return undisguise(path).some((text) => {
      // The path is encoded more often than any router decodes. Only an attacker sends such a path.
      if (text.includes('%25')) return true
      const segments = text.split('/').map((segment) => segment.replace(/[;?#].*$/, ''))
      const names = segments.filter((segment) => segment !== '' && segment !== '.')
      // `//host/path` is also how a URL without a scheme begins.
      const walks = text.startsWith('//') ? [names, names.slice(1)] : [names]
      return walks.some((walk) => prefixes.some((base) => mayPass(base, walk)))
    })
  }
}

/** Locates a request by all readings of its path, which must agree. */
export function locateReadings(locatePath: LocatePath, readings: readonly string[]): Location {
  const [location = ELSEWHERE, ...others] = [...new Set(readings)].map((path) => locatePath(path))
  if (others.length === 0) return location
  if ([location, ...others].every(({ place }) => place === 'elsewhere')) return ELSEWHERE
  return { place: 'unclear', problem: NOT_CANONICAL }
}

const NOT_CANONICAL = 'the path is not in canonical form'

function findProblem(path: string): string | undefined {
  if (!path.startsWith('/')) return `${NOT_CANONICAL}: it must start with a slash`
  if (!PATH.test(path)) return `${NOT_CANONICAL}: it has characters that must be percent-encoded`
  if (path.includes('//')) return `${NOT_CANONICAL}: it has an empty segment`
  if (/\/\.{1,2}(?:\/|$)/.test(path)) return `${NOT_CANONICAL}: it has a dot segment`
  if (ENCODED_TROUBLE.test(path)) {
    return `${NOT_CANONICAL}: slashes, backslashes, control characters and double encoding are rejected`
  }
  if (ENCODED_UNRESERVED.test(path)) {
    return `${NOT_CANONICAL}: letters, digits and -._~ must not be percent-encoded`
  }
  const decoded = decode(path)
  if (decoded === undefined) return `${NOT_CANONICAL}: its percent-encoding is not UTF-8`
  return !isAscii(decoded) && FOLDED_TROUBLE.test(foldText(decoded))
    ? `${NOT_CANONICAL}: some routers read its characters as backslashes, dot segments or percent-encoding`
    : undefined
}

/**
 * The two forms in which routers see a canonical path: with only the necessary percent-encoding decoded, and with all
 * of it decoded. They differ in characters whose encoding is optional (`,` or `%2C`). Routers that match before they
 * decode see two different paths there.
 */
export function readingsOf(path: string): readonly [cautious: string, full: string] {
  if (!path.includes('%')) return [path, path]
  const full = decode(path) ?? path
  return [decode(path.replaceAll(ENCODED_BY_CHOICE, '%25$1')) ?? path, full]
}

function decode(path: string): string | undefined {
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}

/**
 * Removes all disguises of a path except dot segments and repeated slashes.
 *
 * @returns its readings: one for an ASCII path; otherwise its bytes as Latin-1 and as UTF-8, both folded
 */
function undisguise(path: string): readonly string[] {
  let bytes = path
  for (let round = 0; round < 4; round += 1) {
    const decoded = bytes.replaceAll(/%([\da-f]{2})/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    )
    if (decoded === bytes) break
    bytes = decoded
  }
  const readings = isAscii(bytes)
    ? [bytes.toLowerCase()]
    : [foldText(bytes), foldText(Buffer.from(bytes, 'latin1').toString('utf8'))]
  return readings.map((text) => text.replaceAll(INVISIBLE, '').replaceAll('\\', '/'))
}

/**
 * Whether a walk along the segments may pass the base. How far `..` leads back depends on the router: some ignore it,
 * and `x%2Fy` before it is one segment for one router and two for another. So `..` may lead to every place that the
 * walk has visited.
 */
function mayPass(base: readonly string[], segments: readonly string[]): boolean {
  // Places are counted in segments of the base; 0 is the root.
  const visited = new Set([0])
  let current = new Set([0])
  for (const segment of segments) {
    if (visited.has(base.length)) break
    if (segment === '..') {
      current = new Set(visited)
      continue
    }
    current = new Set([...current].filter((at) => base[at] === segment).map((at) => at + 1))
    for (const at of current) visited.add(at)
  }
  return visited.has(base.length)
}
