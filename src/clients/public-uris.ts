import type { Fault } from '../errors.ts'
import { uniqueListOf } from '../validation/rules.ts'
import { findRedirectUriProblem, LOOPBACK } from './application-uris.ts'

export type RedirectKind = 'https' | 'loopback' | 'private-scheme'

/**
 * Any program on a person's computer can listen on a loopback address, or register a private-use scheme. So
 * such a redirect does not prove which program gets the code (RFC 8252 8.6).
 */
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
  if (problem === undefined) return isLocalHttps(url) ? LOCAL_HTTPS : undefined
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
    'must start with "http://": a program on the computer of a person has no certificate for a loopback host',
}

/** Names the computer itself (RFC 6761 6.3): any program on it can listen there. */
function isLocalHttps({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' && LOCAL_HOST.test(hostname)
}

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

const MAX_REDIRECT_URIS = 20
const MAX_ORIGINS = 20

/** Redirect URIs of public applications pass too: `requireConsistent` checks what depends on other fields. */
export const redirectUrisRule = uniqueListOf(findPublicRedirectUriProblem, MAX_REDIRECT_URIS)

/** For an application that is not public. */
export const webRedirectUrisRule = uniqueListOf(findRedirectUriProblem, MAX_REDIRECT_URIS)

export const originsRule = uniqueListOf(findOriginProblem, MAX_ORIGINS)
