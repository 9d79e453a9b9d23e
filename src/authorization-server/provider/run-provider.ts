import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import compose from 'koa-compose'
import type { Context } from 'koa'
import type { Provider } from 'oidc-provider'
import { formatBasicCredentials, readBasicCredentials } from '../../http/basic-credentials.ts'
import { type EarlyLookups, requestState, startRequest } from './request-state.ts'
import { middlewareOf } from './seam/seam.ts'

export interface ProviderInput {
  /** With its `?`. @default the query of the request */
  readonly query?: string
  /** Undefined if the endpoint reads no form. */
  readonly form?: string | undefined
  /** Empty if oidc-provider must not read one. @default the header of the request */
  readonly authorization?: string | undefined
  readonly early?: EarlyLookups | undefined
}

/**
 * Lets oidc-provider answer a request in a Koa context of its own. So it signs cookies with its own keys, and its
 * changes do not reach the host's context. Both contexts write headers to the same Node response.
 * @param path the path below {auth_url}, such as `/oauth2/token`
 * @returns false if oidc-provider has no route for the path
 */
export async function runProvider(
  provider: Provider,
  ctx: Context,
  path: string,
  { query = ctx.search, form, authorization = ctx.get('Authorization'), early }: ProviderInput = {},
): Promise<boolean> {
  const url = RETURN_FROM_PAGES.test(path) ? path : path + query
  const request = new ProviderRequest(ctx, url, form, authorization)
  const inner = provider.createContext(request as unknown as IncomingMessage, ctx.res)
  startRequest(inner, ctx, early)
  // Like any Koa app, oidc-provider must start with the status 404. Koa would treat a status that is set with
  // `ctx.status` as a deliberate answer, so the status is set in `ctx.res`.
  const { statusCode } = ctx.res
  ctx.res.statusCode = 404
  let answered = true
  try {
    await compose([...middlewareOf(provider)])(inner, async () => {
      answered = false
    })
  } catch (error) {
    // oidc-provider still tries to save the session, and fails again. So the first failure of the store is thrown.
    throw requestState(inner).unavailable ?? error
  }
  if (!answered) {
    ctx.res.statusCode = statusCode
    return false
  }
  const { status, body } = inner
  // As text: a middleware of the host could rename the fields of an object, although the RFCs define their names.
  ctx.body = typeof body === 'object' && body !== null ? JSON.stringify(body) : body
  ctx.status = status
  return true
}

/**
 * Relies on: if a return from our pages fails before the stored parameters are loaded, oidc-provider looks for a
 * `client_id` in the query. With one, it would read the parameters, and fail a second time.
 */
const RETURN_FROM_PAGES = /^\/oauth2\/authorize\/./i

/**
 * The request that oidc-provider receives: without the mount path, with a Basic header that oidc-provider can
 * decode, and with the form as body, because the real body has been read.
 *
 * The class does not inherit from the real request, because V8 makes the properties of a prototype slow. With
 * inheritance, a token request would cost about a third more CPU time.
 *
 * Relies on:
 * - oidc-provider, Koa and their packages read only the properties of this class. In tests,
 *   `test/support/guard-provider-request.ts` reports every other property that is read.
 * - oidc-provider expects a body if a header such as `Content-Length` announces it. It iterates over
 *   `iterator()` if `readable` is true.
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

  constructor({ req }: Context, url: string, form?: string, authorization?: string) {
    this.method = req.method
    this.url = url
    this.headers = headersFor(req.headers, form, authorization)
    this.httpVersionMajor = req.httpVersionMajor
    this.socket = req.socket
    this.form = form ?? ''
  }

  iterator(): Iterable<Buffer> {
    return [Buffer.from(this.form)]
  }
}

/** As at the gateway, a token with the scheme DPoP is no token. oidc-provider expects one blank after `Bearer`. */
function headersFor(headers: IncomingHttpHeaders, form?: string, authorization = ''): IncomingHttpHeaders {
  const { authorization: _, ...changed } = headers
  const credentials = readBasicCredentials(authorization)
  if (credentials) changed.authorization = formatBasicCredentials(credentials)
  else if (!/^(?:dpop\b|$)/i.test(authorization))
    changed.authorization = authorization.replace(/^bearer +/i, 'Bearer ')
  if (form !== undefined) changed['content-length'] = String(Buffer.byteLength(form))
  return changed
}
