import type { RawRequest } from '../raw-request.ts'
import {
  encode,
  field,
  fill,
  FORM,
  form,
  header,
  json,
  letters,
  MAX_FORM_BYTES,
  MAX_HEAD_BYTES,
  names,
  parameter,
  path,
  query,
  withBody,
  type Change,
  type Target,
} from './changes.ts'
import { repetitionsFor } from './repetitions.ts'

const base64url = (text: string) => Buffer.from(text).toString('base64url')
/** A JWT as long as `room` with an invalid signature by the key `kid`, and with this payload. */
function jwt(kid: string, room: number, payload: (bytes: number) => string): string {
  const header = base64url(JSON.stringify({ alg: 'ES256', typ: 'at+jwt', kid }))
  return `${header}.${base64url(payload(Math.floor((room - 250) * 0.74)))}.${'A'.repeat(86)}`
}
/** A JWT as long as `room` with this header. */
const jwtWithHeader = (room: number, header: (bytes: number) => string) =>
  `${base64url(header(Math.floor((room - 100) * 0.74)))}.e30.${'A'.repeat(86)}`
const deepArray = (bytes: number) => `[${fill('[', bytes / 2)}${fill(']', bytes / 2)}]`
const deepObject = (bytes: number) => `${fill('{"a":', bytes * (5 / 6))}1${fill('}', bytes / 6)}`
const wideObject = (bytes: number) => `{"${names('":1,"', bytes - 10)}z":1}`
const listOf = (item: string, bytes: number) => `[${fill(`${item},`, bytes - item.length - 2)}${item}]`

/** Different addresses, each with a host of at most `count` different letters. */
function longAddresses(bytes: number, count: number, write = encodeURIComponent): string[] {
  const host = letters(Math.min(bytes - 20, count * Buffer.byteLength(write('\u4e00'))), write)
  const length = Math.floor(bytes / (Buffer.byteLength(host) + 15))
  return Array.from({ length }, (_, index) => `https://${host}/${index}`)
}
const redirectUris = (count: number) => (room: number) =>
  JSON.stringify({ redirectUris: longAddresses(room - 20, count, String) })

/** The most expensive requests that a stranger can think of, each as large as the limits admit. */
const KINDS: Readonly<Record<string, Change>> = {
  'form: the same name': form((room) => fill('a&', room)),
  'form: only separators': form((room) => fill('&', room)),
  'form: different names': form((room) => names('&', room)),
  'form: names with values': form((room) => names('=1&', room)),
  'form: client_id': form((room) => fill('client_id&', room)),
  'form: scope': form((room) => fill('scope=invoices:read&', room)),
  'form: product': form((room) => fill('product=invoices&', room)),
  'form: operation': form((room) => fill('operation=invoices+invoices:read&', room)),
  'form: csrf': form((room) => fill('csrf&', room)),
  'form: resource': form((room) => fill('resource=a&', room)),
  'form: many addresses of resources': form((room) => fill('resource=http://a.b&', room)),
  'form: addresses of 480 letters': field('redirectUris', (room) => longAddresses(room, 480).join('%0A')),
  'form: addresses of 1980 letters': field('redirectUris', (room) => longAddresses(room, 1980).join('%0A')),
  'form: brackets': form((room) => fill('a[]=1&', room)),
  'form: nested brackets': form((room) => fill('a[b][c]', room)),
  'form: names of prototypes': form((room) => fill('__proto__=1&constructor=1&', room)),
  'form: percent-encoded text': form((room) => fill('%C3%BC', room)),
  'form: malformed percent signs': form((room) => fill('%', room)),
  'form: plus signs': form((room) => fill('+', room)),
  'form: many scopes': field('scope', (room) => names('+', room)),
  'form: one scope, many times': field('scope', (room) => fill('invoices:read+', room)),
  'form: a long secret': field('client_secret', (room) => fill('a', room)),
  'form: a long client id': field('client_id', (room) => fill('a', room)),
  'form: a long code': field('code', (room) => fill('a', room)),
  'form: a long refresh token': field('refresh_token', (room) => fill('a.', room)),
  'form: a token of dots': field('token', (room) => fill('.', room)),
  'form: a token with a deep payload': field('token', (room, kid) => jwt(kid, room, deepArray)),
  'form: a token with a wide header': field('token', (room) => jwtWithHeader(room, wideObject)),
  'form: a wide access token': field('access_token', (room, kid) => jwt(kid, room, wideObject)),
  'form: a long identifier': field('identifier', (room) => fill('%EF%B7%BA', room)),
  'form: a long password': field('password', (room) => fill('%00', room)),
  'form: a long name': field('name', (room) => fill('%E2%80%AE', room)),
  'form: many lines': field('redirectUris', (room) => fill('%0A', room)),
  'form: many addresses': field('redirectUris', (room) => names('://a%0A', room)),
  'form: a long address': field('redirectUris', (room) => `https://a/?${fill('%25', room - 20)}`),
  'form: a long search': field('q', (room) => fill('%C3%BC', room)),
  'form: JSON': (target) => withBody(target, FORM, deepArray(MAX_FORM_BYTES)),
  'form: a megabyte in chunks': (target) => ({ ...withBody(target, FORM, fill('a&', 1e6)), chunked: true }),
  'form: multipart': (target) =>
    withBody(target, 'multipart/form-data; boundary=a', fill('--a\r\n\r\n\r\n', MAX_FORM_BYTES)),

  'JSON: deep arrays': json(deepArray),
  'JSON: deep objects': json(deepObject),
  'JSON: a deep name': json((room) => `{"name":${deepArray(room - 10)}}`),
  'JSON: different names': json(wideObject),
  'JSON: the same name': json((room) => `{${fill('"a":1,', room - 10)}"a":1}`),
  'JSON: names of prototypes': json((room) => `{${fill('"__proto__":{},', room - 20)}"a":1}`),
  'JSON: many numbers': json((room) => listOf('1', room)),
  'JSON: many digits': json((room) => `{"name":${fill('1', room - 20)}}`),
  'JSON: escaped text': json((room) => `{"name":"${fill('\\u202e', room - 20)}"}`),
  'JSON: a long name': json((room) => `{"name":"${fill('a', room - 20)}"}`),
  'JSON: white space': json((room) => `${fill(' ', room - 2)}{}`),
  'JSON: many products': json((room) => `{"name":"a","products":${listOf('"a"', room - 40)}}`),
  'JSON: one product, many times': json(
    (room) => `{"name":"a","products":${listOf('"invoices"', room - 60)}}`,
  ),
  'JSON: many operations': json((room) => `{"name":"a","removedOperations":${listOf('"a:b"', room - 60)}}`),
  'JSON: many addresses': json((room) => `{"name":"a","redirectUris":${listOf('"https://a"', room - 60)}}`),
  'JSON: invalid addresses': json((room) => `{"name":"a","redirectUris":${listOf('""', room - 60)}}`),

  'JSON: addresses of 480 letters': json(redirectUris(480)),
  'JSON: addresses of 1980 letters': json(redirectUris(1980)),

  'query: the same name': query((room) => fill('a&', room)),
  'query: the same name with a value': query((room) => fill('a=1&', room)),
  'query: only separators': query((room) => fill('&', room)),
  'query: different names': query((room) => names('&', room)),
  'query: brackets': query((room) => fill('a[]=1&', room)),
  'query: nested brackets': query((room) => fill('a[b][c]', room)),
  'query: names of prototypes': query((room) => fill('__proto__=1&constructor=1&', room)),
  'query: percent-encoded separators': query((room) => fill('%26', room)),
  'query: malformed percent signs': query((room) => fill('%', room)),
  'query: plus signs': query((room) => fill('+', room)),
  'query: semicolons': query((room) => fill(';', room)),
  'query: 90 parameters of one name': query((room) =>
    fill(`a=${fill('b', room / 90 - 3)}&`, room).slice(0, -1),
  ),
  'query: 70 resources': query((room) => fill(`resource=${fill('b', room / 70 - 10)}&`, room).slice(0, -1)),
  'query: many scopes': parameter('scope', (room) => names('+', room)),
  'query: one scope, many times': parameter('scope', (room) => fill('invoices:read+', room)),
  'query: many locales': parameter('ui_locales', (room) => names('+', room)),
  'query: a locale of many parts': parameter('ui_locales', (room) => fill('a-', room)),
  'query: deep claims': parameter('claims', (room) => deepArray(room)),
  'query: many acr_values': parameter('acr_values', (room) => names('+', room)),
  'query: many prompts': parameter('prompt', (room) => names('+', room)),
  'query: a hint with a deep payload': parameter('id_token_hint', (room, kid) => jwt(kid, room, deepArray)),
  'query: a hint with a wide header': parameter('id_token_hint', (room) => jwtWithHeader(room, wideObject)),
  'query: a hint of dots': parameter('id_token_hint', (room) => fill('.', room)),
  'query: a long state': parameter('state', (room) => fill('a', room)),
  'query: a long login_hint': parameter('login_hint', (room) => fill('%E2%80%AE', room)),
  'query: a redirect_uri with a query': parameter(
    'redirect_uri',
    (room) => `http://a/?${fill('a%26', room - 20)}`,
  ),
  'query: an address after sign-out': parameter('post_logout_redirect_uri', (room) => fill('a:', room)),
  'query: a request object': parameter('request', (room, kid) => jwt(kid, room, wideObject)),
  'query: an access token': parameter('access_token', (room, kid) => jwt(kid, room, deepArray)),
  'query: a long cursor': parameter('cursor', (room) => fill('a', room)),
  'query: a long limit': parameter('limit', (room) => fill('9', room)),
  'query: a long search': parameter('q', (room) => fill('%C3%BC', room)),

  'path: slashes': path((room) => fill('/', room)),
  'path: dot segments': path((room) => fill('/..', room)),
  'path: encoded slashes': path((room) => fill('%2f', room)),
  'path: encoded dot segments': path((room) => fill('/%2e%2e', room)),
  'path: malformed percent signs': path((room) => fill('%', room)),
  'path: semicolons': path((room) => fill(';a=b', room)),
  'path: other bytes': path((room) => fill('\u00fc', room / 2)),
  'path: one long segment': path((room) => `/${fill('a', room - 1)}`),
  'path: many segments': path((room) => fill('/A', room)),

  'path: after a host of many letters': (target, room) => ({
    target: `http://${letters(room - 10)}${target.path}?${encode(target.query)}`,
  }),

  'Accept: many types': header('accept', (room) => names('/b,', room)),
  'Accept: one type, many times': header('accept', (room) => fill('a/b;q=0.1,', room)),
  'Accept: many parameters': header('accept', (room) => `text/html${fill(';a="b"', room - 10)}`),
  'Accept-Language: many tags': header('accept-language', (room) => fill('a,', room)),
  'Accept-Language: many weights': header('accept-language', (room) => fill('a;q=0.1,', room)),
  'Accept-Language: one long tag': header('accept-language', (room) => fill('a-', room)),
  'Accept-Encoding: many': header('accept-encoding', (room) => fill('a;q=0.1,', room)),
  'Cookie: many': header('cookie', (room) => names('=1;', room)),
  'Cookie: one name': header('cookie', (room) => fill('a;', room)),
  'Cookie: our session, many times': header('cookie', (room) => fill('gatehouse_session=a;', room)),
  'Cookie: a long session': header('cookie', (room) => `gatehouse_session=${fill('a', room - 20)}`),
  'Cookie: beside the session': (target, room) =>
    header(
      'cookie',
      (all) => `${target.headers['cookie'] ?? 'a=b'};${fill('gatehouse_session.sig=a;', all)}`,
    )(target, room - (target.headers['cookie']?.length ?? 4)),
  'Authorization: Basic of colons': header(
    'authorization',
    (room) => `Basic ${Buffer.from(fill(':', room * 0.74 - 10)).toString('base64')}`,
  ),
  'Authorization: Basic of percent signs': header(
    'authorization',
    (room) => `Basic ${Buffer.from(`a:${fill('%25', room * 0.74 - 10)}`).toString('base64')}`,
  ),
  'Authorization: Bearer of dots': header('authorization', (room) => `Bearer ${fill('.', room - 8)}`),
  'Authorization: Bearer and spaces': header('authorization', (room) => `Bearer${fill(' ', room - 8)}a`),
  'Authorization: a deep payload': header(
    'authorization',
    (room, kid) => `Bearer ${jwt(kid, room, deepArray)}`,
  ),
  'Authorization: a wide payload': header(
    'authorization',
    (room, kid) => `Bearer ${jwt(kid, room, wideObject)}`,
  ),
  'Authorization: a deep header': header(
    'authorization',
    (room) => `Bearer ${jwtWithHeader(room, deepObject)}`,
  ),
  'Authorization: many critical claims': header(
    'authorization',
    (room) =>
      `Bearer ${jwtWithHeader(room, (bytes) => `{"alg":"ES256","crit":${listOf('"a"', bytes - 40)}}`)}`,
  ),
  'Authorization: an unknown scheme': header('authorization', (room) => fill('a ', room)),
  'If-None-Match: many': header('if-none-match', (room) => fill('W/"a",', room)),
  'If-Match: many': header('if-match', (room) => fill('"a",', room)),
  'Origin: long': header('origin', (room) => `https://${fill('a.', room - 10)}`),
  'User-Agent: long': header('user-agent', (room) => fill('\u00fc', room / 2)),
  'X-Forwarded-For: many': header('x-forwarded-for', (room) => fill('::1,', room)),
  'Content-Type: many parameters': header('content-type', (room) => `${FORM}${fill(';a="b"', room - 40)}`),
  'Idempotency-Key: long': header('idempotency-key', (room) => fill('a', room)),
  'X-CSRF-Token: long': header('x-csrf-token', (room) => fill('a', room)),
  'headers: many': ({ headers }, room) => ({
    headers: {
      ...headers,
      ...Object.fromEntries(
        names(',', room / 2.2)
          .split(',')
          .slice(0, 1900)
          .map((name) => [`${name}a`, 'b']),
      ),
    },
  }),
}

/** The kinds that may cost something at a target. A body is sent only where it is read. */
export function kindsFor(target: Target): string[] {
  const others = { form: 'JSON: ', JSON: 'form: ' }
  const { reads } = target
  const kinds = Object.keys(KINDS).filter((kind) =>
    reads === undefined ? !/^(form|JSON): /.test(kind) : !kind.startsWith(others[reads]),
  )
  return [...kinds, ...Object.keys(repetitionsFor(target))]
}

/** The kinds that cost most at any target, as the long test has measured. */
const WORST = [
  'form: the same name',
  'form: different names',
  'form: many scopes',
  'form: many addresses of resources',
  'form: addresses of 480 letters',
  'form: addresses of 1980 letters',
  'JSON: deep arrays',
  'JSON: a deep name',
  'JSON: different names',
  'JSON: addresses of 480 letters',
  'JSON: addresses of 1980 letters',
  'query: the same name with a value',
  'query: different names',
  'path: after a host of many letters',
  'path: encoded dot segments',
  'path: slashes',
  'query: nested brackets',
  'Accept-Language: many tags',
  'Cookie: many',
  'headers: many',
]

/** Repetitions that cost most in the long test, or that the library once needed up to seconds for. */
const WORST_REPETITIONS = [
  /^path: .* semicolons/,
  /^(query|form) resource: (http.* colons|an address)/,
  /^form \w+: .* semicolons \+ \\n/,
  /^accept-language: .* semicolons/,
]

/** The kinds that cost most at a target, and each that cost too much before. */
export function worstKindsFor(target: Target): string[] {
  return kindsFor(target).filter(
    (kind) => WORST.includes(kind) || WORST_REPETITIONS.some((each) => each.test(kind)),
  )
}

/** The request of a kind, made from the valid request of a target. */
export function requestOf(kind: string, target: Target): RawRequest {
  const { method, form: fields, headers } = target
  const valid: RawRequest = {
    method,
    target: `${target.path}?${encode(target.query)}`,
    headers: Object.keys(fields).length > 0 ? { 'content-type': FORM, ...headers } : headers,
    ...(Object.keys(fields).length > 0 && { body: encode(fields) }),
  }
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const room = MAX_HEAD_BYTES - head.join('').length - valid.target.length
  const change = KINDS[kind] ?? repetitionsFor(target)[kind]
  const changed = change?.(target, room) ?? {}
  return { ...valid, ...changed, headers: { ...valid.headers, ...changed.headers } }
}
