/** A name and a value. Both are byte strings. */
export type Pair = readonly [name: string, value: string]

/**
 * A generated request in parts, so that a finding can be shortened part by part. All texts are byte strings:
 * each character is one byte (`utf8()` makes a byte string).
 */
export interface FuzzRequest {
  /** Name of the server that gets the request. */
  readonly server: string
  readonly method: string
  /** The path in the request line, up to the `?`. */
  readonly path: string
  /** Parameters, or the encoded query. */
  readonly query: readonly Pair[] | string
  readonly headers: readonly Pair[]
  readonly body?: FuzzBody | undefined
  /** Whether the request is valid, so that rejecting it is a finding. */
  readonly isValid?: boolean | undefined
}

export interface FuzzBody {
  /** Parameters, or the bytes to send. */
  readonly content: readonly Pair[] | string
  readonly isChunked?: boolean | undefined
  /** Number of announced bytes that are not sent, because the sender closes the connection too early. */
  readonly missing?: number | undefined
}

/** The UTF-8 bytes of a text, as a byte string. */
export function utf8(text: string): string {
  return Buffer.from(text).toString('latin1')
}

/** A request as bytes of HTTP/1.1. */
export function bytesOf(request: FuzzRequest): Buffer {
  const { method, path, query, headers, body } = request
  const search = typeof query === 'string' ? query : encodePairs(query)
  const lines = [`${method} ${path}${search === '' ? '' : `?${search}`} HTTP/1.1`]
  for (const [name, value] of headers) lines.push(`${name}: ${value}`)
  let content = ''
  if (body !== undefined) {
    content = contentOf(body)
    if (body.isChunked) {
      lines.push('Transfer-Encoding: chunked')
      content = `${content.length.toString(16)}\r\n${content}\r\n${body.missing ? '' : '0\r\n\r\n'}`.replace(
        /^0\r\n\r\n/,
        '',
      )
    } else lines.push(`Content-Length: ${content.length + (body.missing ?? 0)}`)
  }
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${content}`, 'latin1')
}

/** The bytes of a body, before they are framed. */
export function contentOf({ content }: FuzzBody): string {
  return typeof content === 'string' ? content : encodePairs(content)
}

/**
 * All text that the sender put into a request, decoded. A response may repeat this text, because the sender
 * knows it.
 */
export function textOf(request: FuzzRequest): string {
  const { path, query, headers, body } = request
  const pairs = (list: readonly Pair[] | string) =>
    typeof list === 'string' ? list : list.map((pair) => pair.join('=')).join('&')
  return [path, pairs(query), pairs(headers), body ? pairs(body.content) : ''].join('\n')
}

function encodePairs(pairs: readonly Pair[]): string {
  return pairs.map(([name, value]) => `${encodeBytes(name)}=${encodeBytes(value)}`).join('&')
}

function encodeBytes(bytes: string): string {
  return bytes.replaceAll(
    /[^\w\-.~*]/g,
    (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`,
  )
}
