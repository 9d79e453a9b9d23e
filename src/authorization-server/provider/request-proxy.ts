import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { Context } from 'koa'
import { formatBasicCredentials, readBasicCredentials } from '../../http/basic-credentials.ts'

/**
 * The request that oidc-provider receives. It has a path that does not depend on the app's mount path, a Basic header
 * that oidc-provider can decode, and a body that oidc-provider can read. The object inherits from the real request and
 * leaves it unchanged.
 *
 * Relies on: oidc-provider expects a body if a header announces one, and reads it by iterating while `readable` is
 * true.
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
