import { foldText, isAscii } from '../catalog/fold-text.ts'

/**
 * Where a path stands: outside the API; below {base_url}, with the rest of the path as it was written, without a
 * trailing slash, and whether it had one; or somewhere that not every router would read alike.
 */
export type Location =
  | { readonly place: 'elsewhere' }
  | { readonly place: 'below'; readonly path: string; readonly endsInSlash: boolean }
  | { readonly place: 'unclear'; readonly problem: string }

/** Says where a path stands. */
export type LocatePath = (path: string) => Location

const ELSEWHERE: Location = { place: 'elsewhere' }

/** What may stand in a path (RFC 3986 3.3), without `;`, which some routers cut at. */
const PATH = /^\/[\w\-.~!$&'()*+,=:@%/]*$/
/** The same without percent signs, empty segments and dot segments: nothing is left to interpret. */
const PLAIN_PATH = /^\/(?:(?!\.{1,2}(?:\/|$))[\w\-.~!$&'()*+,=:@]+(?:\/|$))*$/
/** Percent-encoded, but free to be written as it is (RFC 3986 2.3), so two routers may see two paths. */
const ENCODED_UNRESERVED = /%(?:2[de]|3\d|[46][1-9a-f]|[57][\da]|5f|7e)/i
/** Encoded or not, as one likes (RFC 3986 3.3: sub-delims, `:` and `@`), with routers that tell the difference. */
const ENCODED_BY_CHOICE = /%(2[146-9abc]|3[ad]|40)/gi
/** A slash, a backslash, a control character, or a percent sign that would be decoded a second time. */
const ENCODED_TROUBLE = /%(?:2f|5c|[01][\da-f]|7f|25[\da-f]{2})/i
/** What no folding of Unicode may make of a path: backslashes, empty segments, dot segments, percent-encoding. */
const FOLDED_TROUBLE = /\\|\/\/|\/\.{1,2}(?:\/|$)|%[\da-f]{2}/i
// eslint-disable-next-line no-control-regex -- these are what is looked for
const INVISIBLE = /[\u0000-\u0020\u007f]/g

/**
 * Makes the judge of what is below a base path.
 *
 * The gateway and the router behind it must mean the same handler, and routers differ: some decode percent signs
 * first, resolve `..`, merge slashes, cut at `;`, fold Unicode, ignore letter case, and some do not. So nothing is rewritten
 * here. A path that everybody reads alike is located; one that anybody might read as below the base, but that is
 * not in its one canonical form, is `unclear`, and is rejected. Only letter case, a trailing slash and percent
 * signs that are needed may vary.
 *
 * @param base path of {base_url}; `/` or empty for a whole host
 */
export function createPathLocator(base: string): LocatePath {
  const prefix = base.replace(/\/+$/, '').toLowerCase()
  const prefixes = unravel(prefix).map((text) => text.split('/').filter(Boolean))

  return function locatePath(path) {
    if (PLAIN_PATH.test(path)) return isBelow(path) ? below(path) : ELSEWHERE
    if (!mayBeBelow(path)) return ELSEWHERE
    const problem = whatIsNotCanonical(path)
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
    // The root of a host has no other form.
    if (path === '/' || !path.endsWith('/'))
      return { place: 'below', path: path.slice(prefix.length) || '/', endsInSlash: false }
    return { place: 'below', path: path.slice(prefix.length, -1) || '/', endsInSlash: true }
  }

  /** Whether any reading of the path, however generous, leads below the base. */
  function mayBeBelow(path: string): boolean {
    return unravel(path).some((text) => {
      // Encoded more often than any router decodes: somebody hides something.
      if (text.includes('%25')) return true
      const segments = text.split('/').map((segment) => segment.replace(/[;?#].*$/, ''))
      const solid = segments.filter((segment) => segment !== '' && segment !== '.')
      // `//host/path` is also how a URL without a scheme begins.
      const walks = text.startsWith('//') ? [solid, solid.slice(1)] : [solid]
      return walks.some((walk) => prefixes.some((base) => mayLeadTo(base, walk)))
    })
  }
}

/** Says where a request stands, by all the readings of its path that there are; they must agree. */
export function locateReadings(locatePath: LocatePath, readings: readonly string[]): Location {
  const [location = ELSEWHERE, ...others] = [...new Set(readings)].map((path) => locatePath(path))
  if (others.length === 0) return location
  if ([location, ...others].every(({ place }) => place === 'elsewhere')) return ELSEWHERE
  return { place: 'unclear', problem: NOT_CANONICAL }
}

const NOT_CANONICAL = 'the path is not in canonical form'

function whatIsNotCanonical(path: string): string | undefined {
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
 * A canonical path in the two ways in which a router might see it: with what had to be percent-encoded decoded,
 * and with everything decoded. They differ in characters that may stand in a path either way (`,` or `%2C`):
 * routers that match before they decode see two paths there, and the others one.
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
 * Undoes all that a path can be disguised with, except for dots and slashes.
 *
 * @returns its readings: one of an ASCII path; of any other its bytes as Latin-1 and as UTF-8, both folded
 */
function unravel(path: string): readonly string[] {
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
 * Whether a walk along the segments may come by the base. How far `..` leads back depends on the router: some
 * ignore it, and `x%2Fy` before it is one segment to one and two to the next. So it may lead back to wherever
 * the walk has been, or nowhere.
 */
function mayLeadTo(base: readonly string[], segments: readonly string[]): boolean {
  // How many segments of the base the walk may stand at, and may have stood at; 0 is the root.
  const been = new Set([0])
  let standing = new Set([0])
  for (const segment of segments) {
    if (been.has(base.length)) break
    if (segment === '..') {
      standing = new Set(been)
      continue
    }
    standing = new Set([...standing].filter((at) => base[at] === segment).map((at) => at + 1))
    for (const at of standing) been.add(at)
  }
  return been.has(base.length)
}
