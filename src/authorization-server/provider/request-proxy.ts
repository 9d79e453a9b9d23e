import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { Context } from 'koa'
import { formatBasicCredentials, readBasicCredentials } from '../../http/basic-credentials.ts'

/**
 * The request that oidc-provider receives: with its own path, independent of the app's mount path, with a Basic
 * header that it can decode and a body that it can read. The object inherits from the real request and leaves it
 * unchanged.
 *
 * Relies on: oidc-provider expects a body if a header announces one, and reads it by iterating while `readable` is
 * true.
 *
 * @param url path and query below {auth_url}
 * @param form the text of the form in the request; undefined if the endpoint reads none
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
