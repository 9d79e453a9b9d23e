import { isAscii } from '../catalog/fold-text.ts'
import type { Fault } from '../errors.ts'

/** The host names of the local machine, in the form that URL parsers return (RFC 8252 7.3, 8.3). */
export const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

const NO_URL: Fault = {
  code: 'url',
  message: 'must be an absolute URL, such as "https://example.com/callback"',
}

/**
 * Why the authorization server must not redirect to `uri`. It is compared character by character (RFC 9700
 * 2.1), and browsers rewrite URIs into their own form. So only that form is accepted.
 */
export function findRedirectUriProblem(uri: unknown): Fault | undefined {
  const text = typeof uri === 'string' ? uri : ''
  if (text.includes('#')) {
    return {
      code: 'url-fragment',
      message: 'must not have a fragment: leave out the "#" and what follows it',
    }
  }
  if (text.split('?', 1)[0]?.includes('*')) {
    return { code: 'url-wildcard', message: 'must not have a wildcard: list each address on its own' }
  }
  return findWebUriProblem(uri)
}

/** Why pages must not link to `uri`, with the remedy. */
export function findWebUriProblem(uri: unknown): Fault | undefined {
  if (typeof uri !== 'string' || uri === '') return NO_URL
  // Parsing a host of many different letters takes long, and all of them would have to be written in ASCII.
  const max = isAscii(uri) ? 2000 : 500
  if (uri.length > max) return { code: 'too-long', message: `must have at most ${max} characters`, max }
  if (/[\s\p{Cc}\p{Cf}\p{Cs}]/u.test(uri)) {
    const message =
      'must not contain white space, control characters or invisible characters: encode them as %XX'
    return { code: 'url-characters', message }
  }
  const url = URL.parse(uri)
  if (url === null) return NO_URL
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return { code: 'url-https', message: 'must start with "https://"' }
  }
  // Before every message that repeats the address, because the address may contain a password.
  if (url.username !== '' || url.password !== '' || /^[^/]*\/\/[^/?#]*@/.test(uri)) {
    const message = 'must not contain a user name or password: leave out what is before the "@"'
    return { code: 'url-credentials', message }
  }
  if (url.protocol === 'http:' && !LOOPBACK.includes(url.hostname)) {
    const message =
      'must start with "https://"; plain http is accepted on localhost, 127.0.0.1 and [::1] only'
    return { code: 'url-https-or-loopback', message }
  }
  if (uri !== url.href && !isOriginWithoutSlash(uri, url)) {
    const message = `must be written the way that browsers write it: "${url.href}"`
    return { code: 'url-spelling', message, expected: url.href }
  }
  return undefined
}

/** Why pages must not show the picture at `uri`: `https:` is required on every host. */
export function findLogoUriProblem(uri: unknown): Fault | undefined {
  const problem = findWebUriProblem(uri)
  if (problem !== undefined || String(uri).startsWith('https://')) return problem
  const message = 'must start with "https://": the pages show pictures from such addresses only'
  return { code: 'url-https', message }
}

/** As in `https://example.com?a=b`. With and without the slash, a URI means the same to every client. */
function isOriginWithoutSlash(uri: string, url: URL): boolean {
  return url.pathname === '/' && uri === url.origin + url.search + url.hash
}
