import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { Context } from 'koa'
import { formatBasicCredentials, readBasicCredentials } from '../../http/basic-credentials.ts'

/**
 * The request that oidc-provider receives. It inherits from the real request, and leaves the real request
 * unchanged. It has its own path, Basic header and body. The path does not depend on the app's mount path.
 * oidc-provider can decode the header and read the body.
 *
 * Relies on: oidc-provider expects a body if a header announces a body. oidc-provider reads the body by
 * iterating over the request while `readable` is true.
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
