/** Values that are invalid for every parameter. They are percent-encoded for the request. */
export const BAD_VALUES: Readonly<Record<string, string>> = {
  'the empty string': '',
  NUL: 'a%00b',
  'a control character': '%01%1b%7f',
  'a line break': 'a%0d%0aSet-Cookie:%20evil=1',
  'a lone surrogate': '%ed%a0%80',
  'bytes that are not UTF-8': '%ff%fe%c0%af',
  'an invalid percent encoding': '%zz%',
  'separators of JSON and HTML': '%22%27%3C%3E%5C%26%60',
  'characters beyond the basic plane': '%f0%9f%92%a9%e2%80%ae',
  'a name of Object.prototype': '__proto__',
  'another name of Object.prototype': 'constructor',
  'a number out of bounds': '-9'.padEnd(400, '9'),
  '10,000 characters': 'x'.repeat(10_000),
  'an unsigned JWT': 'eyJhbGciOiJub25lIn0.eyJhdWQiOiJfX3Byb3RvX18ifQ.',
}

const text = (size: number) => `grant_type=${'a'.repeat(size)}`
const FORM = 'application/x-www-form-urlencoded'
const MEGABYTE = 1024 * 1024

/** Bodies that are not forms, invalid forms, and forms of an unusual size. */
export const BAD_BODIES: Readonly<
  Record<string, { headers: Record<string, string>; body: string | Uint8Array; chunked?: boolean }>
> = {
  'an empty form': { headers: { 'content-type': FORM }, body: '' },
  'an empty body without a type': { headers: {}, body: '' },
  'a form without a content type': { headers: {}, body: 'grant_type=client_credentials' },
  'a form of 1 MB': { headers: { 'content-type': FORM }, body: text(MEGABYTE) },
  'a form of 1 MB in chunks': { headers: { 'content-type': FORM }, body: text(MEGABYTE), chunked: true },
  '1 MB of JSON': { headers: { 'content-type': 'application/json' }, body: JSON.stringify(text(MEGABYTE)) },
  'a form with 10,000 parameters': { headers: { 'content-type': FORM }, body: 'a=&'.repeat(10_000) },
  JSON: { headers: { 'content-type': 'application/json' }, body: '{"grant_type":"client_credentials"}' },
  'broken JSON': { headers: { 'content-type': 'application/json' }, body: '{"__proto__":' },
  multipart: {
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
    body: '--b\r\nContent-Disposition: form-data; name="grant_type"\r\n\r\nclient_credentials\r\n--b--\r\n',
  },
  'plain text': { headers: { 'content-type': 'text/plain' }, body: 'grant_type=client_credentials' },
  'a form with an unknown charset': {
    headers: { 'content-type': `${FORM}; charset=nonsense` },
    body: 'grant_type=a',
  },
  'a form with a broken content type': { headers: { 'content-type': ';;=' }, body: 'grant_type=a' },
  'a wrong content encoding': {
    headers: { 'content-type': FORM, 'content-encoding': 'gzip' },
    body: 'grant_type=a',
  },
  'random bytes': {
    headers: { 'content-type': FORM },
    body: Uint8Array.from({ length: 4096 }, (_, i) => (i * 197) % 256),
  },
}

const encoded = (text: string) => Buffer.from(text).toString('base64')

/** Invalid credentials and cookies, and other headers that a client controls. */
export const BAD_HEADERS: readonly Readonly<Record<string, string>>[] = [
  { authorization: 'Basic' },
  { authorization: 'Basic !!!' },
  { authorization: `Basic ${encoded('no colon')}` },
  { authorization: `Basic ${encoded('a%zz:b%')}` },
  { authorization: `Basic ${encoded('a\0:b\0')}` },
  { authorization: 'Bearer' },
  { authorization: 'Bearer a b' },
  { authorization: 'Bearer ..' },
  { authorization: `Bearer ${'x'.repeat(10_000)}` },
  { authorization: 'Nonsense __proto__' },
  { cookie: 'gatehouse_session=x; gatehouse_interaction=__proto__; gatehouse_resume=%00' },
  { cookie: `gatehouse_session=${'x'.repeat(8000)}; gatehouse_session.sig=x` },
  { 'accept-language': 'a-'.repeat(4000), origin: 'null' },
  { 'x-forwarded-for': '__proto__', dpop: 'x', 'content-encoding': 'br' },
]
