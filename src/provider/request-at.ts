import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import querystring from 'node:querystring'
import { Readable } from 'node:stream'
import type { Context } from 'koa'

/**
 * The request as oidc-provider is to see it: at its own path, whatever the app is mounted below, and with its
 * body readable. The object inherits from the real request, which stays as it is.
 *
 * @param url path and query below {auth_url}
 */
export function requestAt(ctx: Context, url: string): IncomingMessage {
  const { req } = ctx
  const form = readParsedForm(ctx)
  if (form === undefined) {
    return Object.create(req, {
      url: { value: url, writable: true },
      headers: { value: withBodyAnnounced(req) },
      readable: { get: () => req.readable },
      readableEncoding: { get: () => req.readableEncoding },
      iterator: { value: (options?: object) => req.iterator(options) },
    }) as IncomingMessage
  }
  // A body parser of the host was here before. oidc-provider warns about that and then takes its result; it
  // gets the form as it was instead.
  const bytes = Buffer.from(form)
  return Object.create(req, {
    url: { value: url, writable: true },
    headers: { value: { ...req.headers, 'content-length': String(bytes.length) } },
    readable: { value: true },
    readableEncoding: { value: null },
    iterator: { value: () => Readable.from([bytes])[Symbol.asyncIterator]() },
  }) as IncomingMessage
}

/**
 * Headers that say that there is a body. HTTP/2 needs none for that (RFC 9113 8.1.1), but oidc-provider looks
 * for one.
 */
function withBodyAnnounced({ headers, httpVersionMajor, method }: IncomingMessage): IncomingHttpHeaders {
  const isAnnounced = 'content-length' in headers || 'transfer-encoding' in headers
  if (isAnnounced || httpVersionMajor < 2 || method !== 'POST') return headers
  return { ...headers, 'transfer-encoding': 'chunked' }
}

/** The form that a body parser of the host has read already, encoded again; undefined if nobody has. */
function readParsedForm(ctx: Context): string | undefined {
  if (ctx.method !== 'POST' || ctx.request.type.toLowerCase() !== 'application/x-www-form-urlencoded') {
    return undefined
  }
  // Parsers of other content leave an empty object behind, and the form where it is.
  if (ctx.req.readable && !ctx.req.readableDidRead) return undefined
  const { body, rawBody } = ctx.request as { body?: unknown; rawBody?: unknown }
  if (typeof rawBody === 'string') return rawBody
  const parsed = body ?? (ctx.req as { body?: unknown }).body
  if (typeof parsed === 'string') return parsed
  if (typeof parsed === 'object' && parsed !== null)
    return querystring.stringify(parsed as querystring.ParsedUrlQueryInput)
  return ctx.req.readable ? undefined : ''
}
