import type { HttpMethod } from './definition.ts'
import { foldText } from './fold-text.ts'

export type Segment = { readonly literal: string } | { readonly parameter: string }

export interface Route {
  readonly method: HttpMethod
  /** The path in the host's spelling. */
  readonly path: string
  /** Literals are percent-decoded. */
  readonly segments: readonly Segment[]
}

export const METHODS: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] satisfies HttpMethod[]
export const UPPER_CASE = /[A-Z]/
const PARAMETER = /^:[A-Za-z_][A-Za-z0-9_]*$/
/** RFC 3986 3.3 and text outside ASCII. Not those of patterns (`*():`). Not `;`: some routers cut the path there. */
const LITERAL = /^(?:[A-Za-z0-9\-._~!$&'+,=@]|%[0-9A-Fa-f]{2}|[\u{a1}-\u{10ffff}])+$/u
const UNRESERVED = /^[A-Za-z0-9\-._~]$/
// eslint-disable-next-line no-control-regex -- the pattern searches for control characters
const NEVER_IN_A_SEGMENT = /[\u0000-\u001f\u007f/\\]/

/** Parses a route such as `GET /invoices/:id`. A text is its problem, as a sentence. */
export function parseRoute(text: unknown): Route | string {
  if (typeof text !== 'string') return "must be a text such as 'GET /invoices/:id'"
  const [, method, path] = /^(\S+) (\S.*)$/s.exec(text) ?? []
  if (method === undefined || path === undefined) {
    return "must be a method, one space and a path, such as 'GET /invoices/:id'"
  }
  if (method === 'HEAD') return 'HEAD is answered by the GET of the same path; leave it out'
  if (!isMethod(method)) return `has an unknown method; use one of ${METHODS.join(', ')}`

  if (!path.startsWith('/')) return 'has a path that does not start with /'
  if (/[?#]/.test(path)) return 'must be a path alone, without query or fragment'
  if (path === '/') return { method, path, segments: [] }
  if (path.endsWith('/'))
    return 'has a trailing slash; leave it out, requests may still have a trailing slash'

  const segments: Segment[] = []
  for (const text of path.slice(1).split('/')) {
    const segment = parseSegment(text)
    if (typeof segment === 'string') return segment
    const { parameter } = segment as { parameter?: string }
    if (parameter !== undefined && segments.some((s) => 'parameter' in s && s.parameter === parameter)) {
      return `has the parameter :${parameter} twice`
    }
    segments.push(segment)
  }
  return { method, path, segments }
}

/** Equal for two routes that differ only in the names of parameters, or in letters that some router treats as equal. */
export function shapeOf(method: string, segments: readonly Segment[]): string {
  // A literal contains neither U+0000 nor a slash, so U+0000 can only be a parameter.
  const parts = segments.map((segment) => ('parameter' in segment ? '\u0000' : foldText(segment.literal)))
  return `${method} /${parts.join('/')}`
}

/**
 * Why a route is wrong that begins with the path of {base_url}, although it is relative to it; undefined if it does not.
 * @param base the path of {base_url}
 */
export function findRepeatedBase({ path }: Pick<Route, 'path'>, base: string): string | undefined {
  const prefix = base.replace(/(?<!\/)\/+$/, '')
  if (prefix === '' || !foldCase(`${path}/`).startsWith(foldCase(`${prefix}/`))) return undefined
  return `would be ${prefix}${path}: leave out ${prefix}, because routes are relative to {base_url}`
}

/** The path of a request is ASCII, and Koa's routers ignore its letter case. */
export function foldCase(path: string): string {
  return UPPER_CASE.test(path) ? path.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) : path
}

function isMethod(method: string): method is HttpMethod {
  return METHODS.includes(method)
}

function parseSegment(text: string): Segment | string {
  if (text === '') return 'has an empty segment (//)'
  if (text === '.' || text === '..') return `has the segment ${text}, which no request can have`
  if (text.startsWith(':')) {
    if (PARAMETER.test(text)) return { parameter: text.slice(1) }
    return `has the parameter ${text}: a parameter is a whole segment, : and a name of letters, digits and _`
  }
  if (!LITERAL.test(text)) {
    return `has the segment ${text}: wildcards and patterns are not supported, and characters other than letters, digits and -._~!$&'+,=@ must be percent-encoded`
  }
  return decodeSegment(text)
}

function decodeSegment(text: string): Segment | string {
  // Rejects encoded unreserved characters: two spellings would look like two routes, but match the same requests.
  for (const [encoded] of text.matchAll(/%[0-9A-Fa-f]{2}/g)) {
    const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16))
    if (UNRESERVED.test(character)) return `has ${encoded}: write it as ${character} (RFC 3986 2.3)`
  }
  let literal: string
  try {
    literal = decodeURIComponent(text)
  } catch {
    return `has the segment ${text}, whose percent-encoding is not UTF-8`
  }
  const folded = foldText(literal)
  if (NEVER_IN_A_SEGMENT.test(folded) || folded === '.' || folded === '..') {
    return `has the segment ${text}, which no request can have: the gateway rejects encoded slashes, backslashes and control characters, and characters that some router turns into one of them or into a dot segment`
  }
  return { literal }
}
