import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { Context } from 'koa'
import { formReadByHost, isForm } from '../http/body.ts'

/**
 * The request as oidc-provider is to see it: at its own path, whatever the app is mounted below, and with its
 * body readable. The object inherits from the real request, which stays as it is.
 *
 * Relies on: a body is there if a header says so, and is read by iterating, while `readable`.
 *
 * @param url path and query below {auth_url}
 */
export function requestAt(ctx: Context, url: string): IncomingMessage {
  const { req } = ctx
  const form = formReadBefore(ctx)
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

/** The form that a body parser of the host has read already; undefined if nobody has. */
function formReadBefore(ctx: Context): string | undefined {
  if (ctx.method !== 'POST' || !isForm(ctx.get('Content-Type'))) return undefined
  const form = formReadByHost(ctx)
  // Of what is left of a form that somebody else took, nothing is a parameter.
  return typeof form === 'object' ? '' : form
}
