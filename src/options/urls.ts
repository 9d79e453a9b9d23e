import type { Fault } from '../errors.ts'
import type { Rule } from '../validation/rules.ts'
import { mountPathProblem } from '../validation/mount-path.ts'

/**
 * Which addresses {auth_url}, {base_url} and resources may be: why one is invalid; undefined if it is valid.
 *
 * Every verifier of a token compares these addresses character by character. So each has one valid form: as WHATWG
 * URL writes it, without a trailing slash, and with a path of plain segments, which is also the path of cookies.
 */
export function addressProblem(value: unknown): string | Fault | undefined {
  if (value === undefined)
    return { code: 'required', message: 'is required: an absolute address, https://HOST/PATH' }
  if (typeof value !== 'string') return { code: 'type', message: 'must be a text' }
  const url = URL.parse(value)
  if (url === null) return 'must be an absolute address: https://HOST/PATH'
  if (url.username !== '' || url.password !== '') return 'must not hold a user name or password'
  if (value.includes('?') || value.includes('#')) return 'must not have a query or fragment'
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) {
    return 'must be https; http is for loopback alone (localhost, 127.0.0.1, [::1])'
  }
  if (value.endsWith('/')) return 'must not end with a slash'
  const path = url.pathname === '/' ? '' : url.pathname
  const problem = mountPathProblem(path)
  if (problem !== undefined) return `has a path that ${problem}`
  const written = url.origin + path
  return value === written ? undefined : `must be written in its canonical form: '${written}'`
}

/** Why the address of a fetched document is invalid. It may have any path and query. `example` is for the message. */
export function endpointProblem(value: unknown, example: string): string | Fault | undefined {
  const url = typeof value === 'string' ? URL.parse(value) : null
  if (url === null) return `must be an absolute address such as '${example}'`
  if (url.username !== '' || url.password !== '') return 'must not hold a user name or password'
  return addressProblem(url.origin)
}

/**
 * Why {base_url} conflicts with {auth_url}; undefined if there is no conflict, or if one of the addresses is invalid
 * itself. The gateway guards everything below {base_url} without regard to letter case, so {auth_url} must not be
 * below it. The authorization service serves some paths below {auth_url}.
 */
export function placementProblem(issuer: unknown, audience: unknown): string | undefined {
  if (!isAddress(issuer) || !isAddress(audience)) return undefined
  const auth = new URL(issuer)
  const base = new URL(audience)
  if (auth.origin !== base.origin) return undefined
  const authPath = withSlash(auth.pathname)
  const basePath = withSlash(base.pathname)
  if (authPath === basePath) return 'must differ from issuer'
  if (authPath.startsWith(basePath)) {
    return 'must not be above issuer: the gateway would guard the authorization service; choose a path with which the path of issuer does not begin'
  }
  const own = ['oauth2/', 'interaction/', '.well-known/'].find((path) => basePath.startsWith(authPath + path))
  return own && `must not be below ${issuer}/${own.slice(0, -1)}, which the authorization service serves`
}

/**
 * Why two resources conflict; undefined if they do not, or if one of the addresses is invalid itself. The gateway of
 * a resource guards everything below its address, and only the host tells two with the same path apart.
 */
export function conflictProblem(resource: unknown, other: unknown): string | undefined {
  if (!isAddress(resource) || !isAddress(other)) return undefined
  const [one, two] = [new URL(resource), new URL(other)]
  const [path, otherPath] = [withSlash(one.pathname), withSlash(two.pathname)]
  if (one.host !== two.host) return undefined
  if (path === otherPath) return `must not have the same host and path as ${other}`
  if (otherPath.startsWith(path)) return `must not be above ${other}: its gateway would guard both`
  if (path.startsWith(otherPath)) return `must not be below ${other}, whose gateway would guard both`
  return undefined
}

function isAddress(value: unknown): value is string {
  return addressProblem(value) === undefined
}

/** Whether a host is the local machine, so that plain http never leaves it (RFC 8252 8.3, RFC 6761 6.3). */
function isLoopback(hostname: string): boolean {
  // The URL parser has already converted a host of digits and dots to an IPv4 address.
  return /^(?:(?:.+\.)?localhost|\[::1\]|127(?:\.\d{1,3}){3})$/.test(hostname)
}

function withSlash(pathname: string): string {
  const path = pathname.toLowerCase()
  return path.endsWith('/') ? path : `${path}/`
}

/** An https address, or a path on the issuer's origin. */
export function pageAddress(example: string): Rule<string> {
  return (value) => {
    const url = typeof value === 'string' ? URL.parse(value) : null
    const fits =
      url === null
        ? typeof value === 'string' && /^\/(?![/\\])[^\s\\]*$/.test(value)
        : url.protocol === 'https:' && url.username === '' && url.password === ''
    return fits
      ? undefined
      : `must be an https address, or a path on the issuer's origin such as '${example}'`
  }
}
