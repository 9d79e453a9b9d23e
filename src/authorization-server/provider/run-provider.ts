import compose from 'koa-compose'
import type { Context } from 'koa'
import type { Provider } from 'oidc-provider'
import { requestProxy } from './request-proxy.ts'
import { requestState, startRequest } from './request-state.ts'
import { middlewareOf } from './seam/seam.ts'

/**
 * Lets oidc-provider answer a request of the host's app. oidc-provider works in its own context, on the same request
 * and response. Its cookies have their own keys, and its changes to the context do not reach the host's context.
 * Headers are written to the shared response; status and body are copied.
 *
 * @param path the path below {auth_url}, such as `/oauth2/token`
 * @param form the text of the form that was read; undefined if the endpoint takes none
 * @returns false if oidc-provider has no route for the path
 */
export async function runProvider(
  provider: Provider,
  ctx: Context,
  path: string,
  form?: string,
): Promise<boolean> {
  const request = requestProxy(ctx, RETURN_FROM_PAGES.test(path) ? path : path + ctx.search, form)
  const inner = provider.createContext(request, ctx.res)
  startRequest(inner, ctx)
  // Like any Koa app, oidc-provider must start from 404. Setting `ctx.status` would mark the status as explicit.
  const { statusCode } = ctx.res
  ctx.res.statusCode = 404
  let answered = true
  try {
    await compose([...middlewareOf(provider)])(inner, async () => {
      answered = false
    })
  } catch (error) {
    // If the store failed earlier in this request, that failure is the cause: oidc-provider tries again to save a
    // session that it could not save.
    throw requestState(inner).unavailable ?? error
  }
  if (!answered) {
    ctx.res.statusCode = statusCode
    return false
  }
  const { status, body } = inner
  // The body is copied as text: middleware of the host that rewrites objects would change standardized names.
  // oidc-provider has set the content type.
  ctx.body = typeof body === 'object' && body !== null ? JSON.stringify(body) : body
  ctx.status = status
  return true
}

/**
 * The address to which the pages return. Its query is dropped, because the parameters of the authorization request are
 * stored.
 *
 * Relies on: without a `client_id` in the query, oidc-provider answers an error there before it reads the parameters.
 * With a `client_id` it reads parameters that are not set yet, and fails.
 */
const RETURN_FROM_PAGES = /^\/oauth2\/authorize\/./i
