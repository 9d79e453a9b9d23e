import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { isObject } from '../../validation/predicates.ts'
import { readBody } from '../read-body.ts'
import { rejected, unavailable } from './outgoing-problem.ts'

/** `application/json`, or a type that is based on it, such as `application/jrd+json` (RFC 6838 4.2.8). */
const JSON_TYPE = /^application\/(json|[\w.!#$&^+-]+\+json)[\t ]*(;|$)/i

/** The statuses below 500 of faults that may pass: timeout, too early, too many requests. */
const PASSING = [408, 425, 429]

/** Accepts a response with status 200 (no redirect is followed), a JSON object, and no compression. */
export async function readJson(response: IncomingMessage, maxBytes: number) {
  requireStatus(response.statusCode ?? 0)
  requireJson(response)
  if (Number(response.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes)
  const bytes = await readBody(response, maxBytes)
  if (!Buffer.isBuffer(bytes)) {
    throw bytes.status === 413 ? tooLarge(maxBytes) : unavailable('the connection ended before the response')
  }
  return parseJson(bytes)
}

function requireStatus(status: number): void {
  if (status === 200) return
  const problem = `the host answered with status ${status} instead of 200`
  throw status >= 500 || PASSING.includes(status) ? unavailable(problem) : rejected(problem)
}

function requireJson({ headers }: IncomingMessage): void {
  if (!JSON_TYPE.test(headers['content-type'] ?? ''))
    throw rejected('the content type of the response is not JSON')
  const encoding = headers['content-encoding'] ?? 'identity'
  const transfer = headers['transfer-encoding'] ?? 'chunked'
  if (encoding.toLowerCase() !== 'identity' || transfer.toLowerCase() !== 'chunked') {
    throw rejected('the response is compressed')
  }
}

function tooLarge(maxBytes: number) {
  return rejected(`the response has more than ${maxBytes} bytes`)
}

function parseJson(bytes: Buffer): Readonly<Record<string, unknown>> {
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    // The error of the parser would quote the response.
    throw rejected('the response is not valid JSON in UTF-8')
  }
  if (!isObject(value)) throw rejected('the response is not a JSON object')
  return value
}

/** The largest number of seconds that caches use (RFC 9111 1.2.2). */
const MAX_SECONDS = 2 ** 31

/** A directive of Cache-Control with its value, which may be quoted (RFC 9111 5.2). */
const DIRECTIVE = /([\w-]+)(?:=(?:"([^"]*)"|([^\s",]*)))?/g

/**
 * How long a response may be stored (RFC 9111 5.2.2): `max-age` minus its age, or not at all: `no-store`, `no-cache`,
 * `private`, a `max-age` that is not a number, and `Vary: *`.
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
