import { isAscii } from '../catalog/fold-text.ts'
import type { Fault } from '../errors.ts'
import { uniqueListOf } from '../validation/rules.ts'

/** The host names of the local machine, in the form that URL parsers return (RFC 8252 7.3, 8.3). */
const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

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

/** Which redirect URIs, origins and links applications may have: why pages must not link to `uri`, with the remedy. */
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

export type RedirectKind = 'https' | 'loopback' | 'private-scheme'

/** Any program may listen on loopback or register a private-use scheme, and so get the code (RFC 8252 8.6). */
export function redirectKindOf(uri: string): RedirectKind {
  const { protocol } = new URL(uri)
  if (protocol === 'https:') return 'https'
  return protocol === 'http:' ? 'loopback' : 'private-scheme'
}

/** Beyond what `findRedirectUriProblem` allows: a domain name in reverse order (RFC 8252 7.1). */
export function findPublicRedirectUriProblem(uri: unknown): Fault | undefined {
  const problem = findRedirectUriProblem(uri)
  if (problem !== undefined && problem.code !== 'url-https') return problem
  const url = new URL(String(uri))
  if (problem === undefined) {
    return url.protocol === 'https:' && LOCAL_HOST.test(url.hostname) ? LOCAL_HTTPS : undefined
  }
  if (!PRIVATE_SCHEME.test(url.protocol)) return NO_REDIRECT
  if (url.username !== '' || url.password !== '') {
    return { code: 'url-credentials', message: 'must not contain a user name or password' }
  }
  if (url.href === uri) return undefined
  const message = `must be written the way that browsers write it: "${url.href}"`
  return { code: 'url-spelling', message, expected: url.href }
}

/** Schemes with a meaning for browsers, such as `data`, have no dot. */
const PRIVATE_SCHEME = /^[a-z][a-z\d-]*(\.[a-z\d-]+)+:$/

const NO_REDIRECT: Fault = {
  code: 'url-redirect',
  message:
    'must start with "https://", with "http://" on localhost, 127.0.0.1 or [::1], or with a domain name in reverse order, such as "com.example.app:/callback"',
}

const LOCAL_HTTPS: Fault = {
  code: 'url-http',
  message:
    'must start with "http://localhost", "http://127.0.0.1" or "http://[::1]": a program on the computer of a person has no certificate for a loopback host',
}

/** Names the computer itself (RFC 6761 6.3): any program on it can listen there. */
const LOCAL_HOST = /^(?:(?:.+\.)?localhost\.?|127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\]|\[::ffff:.*\])$/

/** Why the pages of an origin must not call the token endpoint. An app may have `capacitor://localhost`. */
export function findOriginProblem(origin: unknown): Fault | undefined {
  const url = typeof origin === 'string' && origin.length <= 300 ? URL.parse(origin) : null
  if (url === null || url.host === '') {
    return { code: 'origin', message: 'must be an origin, such as "https://app.example.com"' }
  }
  if (!ORIGIN_SCHEME.test(url.protocol)) return NO_ORIGIN_SCHEME
  if (url.host.includes('*')) {
    return { code: 'url-wildcard', message: 'must not have a wildcard: list each origin on its own' }
  }
  if (url.protocol === 'http:' && !LOOPBACK.includes(url.hostname) && !url.hostname.endsWith('.localhost')) {
    const message =
      'must start with "https://"; plain http is accepted on localhost, names below it, 127.0.0.1 and [::1] only'
    return { code: 'url-https-or-loopback', message }
  }
  const expected = `${url.protocol}//${url.host}`
  if (origin === expected) return undefined
  return { code: 'url-spelling', message: `must be the origin alone: "${expected}"`, expected }
}

/** Websites, browser extensions, and the web views of apps. */
const ORIGIN_SCHEME =
  /^(?:https?|capacitor|ionic|tauri|app|(?:chrome|moz|safari-web)-extension|[a-z][a-z\d-]*(?:\.[a-z\d-]+)+):$/

const NO_ORIGIN_SCHEME: Fault = {
  code: 'origin',
  message:
    'must start with "https://", "http://" on a loopback host, or the scheme of an app or browser extension',
}

export const MAX_REDIRECT_URIS = 20
const MAX_ORIGINS = 20

/** Redirect URIs of public applications pass too: `requireConsistent` checks what depends on other fields. */
export const redirectUrisRule = uniqueListOf(findPublicRedirectUriProblem, MAX_REDIRECT_URIS)

/** For an application that is not public. */
export const webRedirectUrisRule = uniqueListOf(findRedirectUriProblem, MAX_REDIRECT_URIS)

export const originsRule = uniqueListOf(findOriginProblem, MAX_ORIGINS)
