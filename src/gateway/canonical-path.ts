import { foldText, isAscii } from '../catalog/fold-text.ts'

/**
 * `unclear`: routers read the path differently. `path`: as it was sent, after {base_url}, without a slash at the end.
 */
export type Location =
  | { readonly place: 'elsewhere' }
  | { readonly place: 'below'; readonly path: string; readonly endsInSlash: boolean }
  | { readonly place: 'unclear'; readonly problem: string }

export type LocationBelow = Extract<Location, { readonly place: 'below' }>

export type LocatePath = (path: string) => Location

const ELSEWHERE: Location = { place: 'elsewhere' }

/** RFC 3986 3.3. `;` is not allowed, because some routers cut the path there. */
const PATH = /^\/[\w\-.~!$&'()*+,=:@%/]*$/
/** All routers read a path alike that has no `;`, percent sign, empty segment or dot segment. */
const PLAIN_PATH = /^\/(?:(?!\.{1,2}(?:\/|$))[\w\-.~!$&'()*+,=:@]+(?:\/|$))*$/
/** Encoded without need (RFC 3986 2.3): some routers decode the character, and others do not. */
const ENCODED_UNRESERVED = /%(?:2[de]|3\d|[46][1-9a-f]|[57][\da]|5f|7e)/i
/** Encoding is optional here (RFC 3986 3.3), and some routers distinguish the two forms. */
const ENCODED_BY_CHOICE = /%(2[146-9abc]|3[ad]|40)/gi
/** The last alternative is an encoded percent sign that begins a second layer of encoding (`%252F`). */
const ENCODED_TROUBLE = /%(?:2f|5c|[01][\da-f]|7f|25[\da-f]{2})/i
/** What Unicode folding must not produce. */
const FOLDED_TROUBLE = /\\|\/\/|\/\.{1,2}(?:\/|$)|%[\da-f]{2}/i
// eslint-disable-next-line no-control-regex -- the pattern searches for control characters
const INVISIBLE = /[\u0000-\u0020\u007f]/g

/**
 * Creates the locator of a base path, which rejects a path that two routers may read differently.
 *
 * The gateway and the router behind it must select the same handler. Routers differ: some decode percent signs first,
 * resolve `..`, merge slashes, cut at `;`, fold Unicode or ignore letter case. So the locator rewrites no path, and
 * locates only a path that all routers read alike. Any other path that some router might read as a path below the
 * base is `unclear`, and is rejected. A canonical path may have upper-case letters, a trailing slash, and
 * percent-encoding where RFC 3986 requires or permits it.
 * @param base path of {base_url}; `/` or empty for a whole host
 */
export function createPathLocator(base: string): LocatePath {
  const prefix = base.replace(/(?<!\/)\/+$/, '').toLowerCase()
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
    // The path `/` is the root of a host, and its slash is not a trailing slash.
    const endsInSlash = path !== '/' && path.endsWith('/')
    return {
      place: 'below',
      path: path.slice(prefix.length, endsInSlash ? -1 : undefined) || '/',
      endsInSlash,
    }
  }

  function mayBeBelow(path: string): boolean {
    return undisguise(path).some((text) => {
      // No router decodes so often: only an attacker sends a path that still has an encoded percent sign.
      if (text.includes('%25')) return true
      const segments = text.split('/').map((segment) => segment.replace(/[;?#].*$/s, ''))
      const names = segments.filter((segment) => segment !== '' && segment !== '.')
      // A router may read `//host/path` as a URL without a scheme.
      const candidates = text.startsWith('//') ? [names, names.slice(1)] : [names]
      return candidates.some((followed) => prefixes.some((base) => mayReach(base, followed)))
    })
  }
}

/** Routers may read the path in several ways. All must be equal, or outside of the API. */
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

/** `,` and `%2C` are different for a router that matches routes before it decodes the path. */
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

/** As far as any router does. A path that is not ASCII has two readings: as Latin-1 and as UTF-8. */
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

/** Some routers ignore `..`, others go back one or two segments: it may lead to any place before. */
function mayReach(base: readonly string[], segments: readonly string[]): boolean {
  // A place is the number of followed segments of the base.
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
