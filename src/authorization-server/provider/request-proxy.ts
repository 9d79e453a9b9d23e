import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { Context } from 'koa'
import { formatBasicCredentials, readBasicCredentials } from '../../http/basic-credentials.ts'

/**
 * The request as oidc-provider is to see it: at its own path, whatever the app is mounted below, with a Basic header
 * that it can decode and a body that it can read. The object inherits from the real request, which stays as it is.
 *
 * Relies on: a body is there if a header says so, and is read by iterating, while `readable`.
 *
 * @param url path and query below {auth_url}
 * @param form the form that was sent, as it was read; undefined if none is due
 */
export function requestProxy({ req }: Context, url: string, form?: string): IncomingMessage {
  const credentials = readBasicCredentials(req.headers.authorization ?? '')
  const headers = credentials
    ? { ...req.headers, authorization: formatBasicCredentials(credentials) }
    : req.headers
  if (form === undefined) {
    return Object.create(req, {
      url: { value: url, writable: true },
      headers: { value: headers },
    }) as IncomingMessage
  }
  const bytes = Buffer.from(form)
  return Object.create(req, {
    url: { value: url, writable: true },
    headers: { value: { ...headers, 'content-length': String(bytes.length) } },
    readable: { value: true },
    readableEncoding: { value: null },
    iterator: { value: () => Readable.from([bytes])[Symbol.asyncIterator]() },
  }) as IncomingMessage
}
