/** Hosts that never leave the machine, as URL parsers write them (RFC 8252 7.3, 8.3). */
const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/** Redirect URIs of each kind that an application may have. */
export const MAX_REDIRECT_URIS = 20

/**
 * Why codes must not be sent to `uri`, as a sentence with the remedy; undefined if codes may be sent there.
 *
 * Redirect URIs are compared character by character (RFC 9700 2.1), and then passed to browsers, which rewrite every
 * URI into their own form. So only that form is accepted: the checked URI is the one that the browser opens.
 */
export function findRedirectUriProblem(uri: unknown): string | undefined {
  const text = typeof uri === 'string' ? uri : ''
  if (text.includes('#')) return 'must not have a fragment: leave out the "#" and what follows it'
  if (text.split('?', 1)[0]?.includes('*')) {
    return 'must not have a wildcard: list each address on its own'
  }
  return findWebUriProblem(uri)
}

/** Why `uri` is not the address of a page that may be linked to, as a sentence with the remedy. */
export function findWebUriProblem(uri: unknown): string | undefined {
  if (typeof uri !== 'string' || uri === '')
    return 'must be an absolute URL, as "https://example.com/callback"'
  if (uri.length > 2000) return 'must have at most 2000 characters'
  if (/[\s\p{Cc}\p{Cf}\p{Cs}]/u.test(uri)) {
    return 'must not contain white space, control characters or invisible ones: encode them as %XX'
  }
  // Not `URL.canParse`: once a caller of it is compiled, Node 20 misreads letters such as "ü" in it.
  const url = URL.parse(uri)
  if (url === null) return 'must be an absolute URL, as "https://example.com/callback"'
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must start with "https://"'
  // Check this before any message that repeats the address: it may hold a password.
  if (url.username !== '' || url.password !== '' || /^[^/]*\/\/[^/?#]*@/.test(uri)) {
    return 'must not contain a user name or password: leave out what stands before the "@"'
  }
  if (url.protocol === 'http:' && !LOOPBACK.includes(url.hostname)) {
    return 'must start with "https://"; plain http is accepted on localhost, 127.0.0.1 and [::1] only'
  }
  if (uri !== url.href && !isOriginWithoutSlash(uri, url)) {
    return `must be written the way that browsers write it: "${url.href}"`
  }
  return undefined
}

/** Why `uri` is not the address of a picture for our pages: as `findWebUriProblem`, and https on every host. */
export function findLogoUriProblem(uri: unknown): string | undefined {
  const problem = findWebUriProblem(uri)
  if (problem !== undefined || String(uri).startsWith('https://')) return problem
  return 'must start with "https://": browsers show no other picture on the pages'
}

/** `https://example.com` and `https://example.com?a=b` mean the same to every client with the slash added. */
function isOriginWithoutSlash(uri: string, url: URL): boolean {
  return url.pathname === '/' && uri === url.origin + url.search + url.hash
}
