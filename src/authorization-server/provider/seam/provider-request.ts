import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Context } from 'koa'
import { formatBasicCredentials, readBasicCredentials } from '../../../http/basic-credentials.ts'

/**
 * The request that oidc-provider receives instead of the real request, which stays unchanged. Three properties
 * differ from the real request. The path does not contain the app's mount path. The Basic header is encoded so
 * that oidc-provider can decode it. The body is the form, because the body of the real request has already been
 * read.
 *
 * The class does not inherit from the real request. If the real request is the prototype of another object, V8
 * accesses its properties slowly, and a token request costs about a third more CPU time.
 *
 * Relies on:
 * - oidc-provider, Koa, and the packages that they pass the request to read only the properties of this class.
 *   In tests, `test/support/guard-provider-request.ts` reports every other property that is read.
 * - oidc-provider expects a body if a header such as `Content-Length` announces it. It reads the body by
 *   iterating over `iterator()` if `readable` is true.
 */
export class ProviderRequest {
  readonly method: string | undefined
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly httpVersionMajor: number
  readonly socket: IncomingMessage['socket']
  readonly readable = true
  readonly readableEncoding = null
  readonly form: string

  /**
   * @param url path and query below {auth_url}
   * @param form the text of the form in the request; undefined if the endpoint reads no form
   */
  constructor({ req }: Context, url: string, form?: string) {
    this.method = req.method
    this.url = url
    this.headers = headersFor(req.headers, form)
    this.httpVersionMajor = req.httpVersionMajor
    this.socket = req.socket
    this.form = form ?? ''
  }

  /** The chunks of the body. */
  iterator(): Iterable<Buffer> {
    return [Buffer.from(this.form)]
  }
}

function headersFor(headers: IncomingHttpHeaders, form: string | undefined): IncomingHttpHeaders {
  const changed = { ...headers }
  const credentials = headers.authorization && readBasicCredentials(headers.authorization)
  if (credentials) changed.authorization = formatBasicCredentials(credentials)
  if (form !== undefined) changed['content-length'] = String(Buffer.byteLength(form))
  return changed
}
