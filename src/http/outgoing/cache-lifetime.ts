import type { IncomingHttpHeaders } from 'node:http'

/** The largest number of seconds that caches use (RFC 9111 1.2.2). */
const MAX_SECONDS = 2 ** 31

/** A directive of Cache-Control with its value, which may be quoted (RFC 9111 5.2). */
const DIRECTIVE = /([\w-]+)(?:=(?:"([^"]*)"|([^\s",]*)))?/g

/**
 * How long a response may be stored (RFC 9111 5.2.2): `max-age` minus the age of the response. `no-store`, `no-cache`,
 * `private`, a `max-age` that is not a number, and `Vary: *` forbid to store it.
 *
 * @returns seconds; 0 if the response must not be stored; undefined if the server does not say
 */
export function cacheLifetime(headers: IncomingHttpHeaders): number | undefined {
  const directives = [...(headers['cache-control'] ?? '').matchAll(DIRECTIVE)].map(
    ([, name = '', quoted, plain]) => ({ name: name.toLowerCase(), value: quoted ?? plain }),
  )
  const isForbidden = directives.some(({ name }) => ['no-store', 'no-cache', 'private'].includes(name))
  const variesByAll = (headers.vary ?? '').split(',').some((field) => field.trim() === '*')
  if (isForbidden || variesByAll) return 0
  const lifetimes = directives.filter(({ name }) => name === 'max-age').map(({ value }) => secondsOf(value))
  if (lifetimes.length === 0) return undefined
  return Math.max(0, Math.min(...lifetimes) - secondsOf(headers.age))
}

/** The seconds that a text states; 0 if it does not state any. */
function secondsOf(text: string | undefined): number {
  return text !== undefined && /^\d+$/.test(text) ? Math.min(Number(text), MAX_SECONDS) : 0
}
