import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { Context } from 'koa'
import { formatBasicCredentials, readBasicCredentials } from '../../http/basic-credentials.ts'

/**
 * Creates the request object that oidc-provider receives. The object inherits from the real request, and
 * leaves the real request unchanged. Three parts of the object differ from the real request. The path does
 * not contain the app's mount path. The Basic header is encoded so that oidc-provider can decode it. If the
 * endpoint reads a form, the body is the form, because the body of the real request has already been read.
 *
 * Relies on: oidc-provider expects a body if a header such as `Content-Length` announces it. oidc-provider
 * reads the body by iterating over the request if `readable` is true.
 *
 * @param url path and query below {auth_url}
 * @param form the text of the form in the request; undefined if the endpoint reads no form
 */
export function requestProxy({ req }: Context, url: string, form?: string): IncomingMessage {
  const credentials = readBasicCredentials(req.headers.authorization ?? '')
  const authorization = credentials && { authorization: formatBasicCredentials(credentials) }
  const body = form === undefined ? undefined : Buffer.from(form)
  const length = body && { 'content-length': String(body.length) }
  return Object.create(req, {
    url: { value: url, writable: true },
    headers: { value: { ...req.headers, ...authorization, ...length } },
    ...(body && {
      readable: { value: true },
      readableEncoding: { value: null },
      iterator: { value: () => Readable.from([body])[Symbol.asyncIterator]() },
    }),
  }) as IncomingMessage
}
