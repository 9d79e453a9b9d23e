import compose from 'koa-compose'
import type { Context } from 'koa'
import type { Provider } from 'oidc-provider'
import { requestProxy } from './request-proxy.ts'
import { requestState, startRequest } from './request-state.ts'
import { middlewareOf } from './seam/seam.ts'

/**
 * Lets oidc-provider answer a request of the host's app. It works in a context of its own, on the same request and
 * response. Its cookies have their own keys, and its changes to the context do not reach the host's context. Headers
 * are written to the shared response; status and body are copied.
 *
 * @param path the path below {auth_url}, such as `/oauth2/token`
 * @param form the text of the form that was read; undefined if the endpoint takes none
 * @returns false if oidc-provider has no route for it
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
  // Koa marks an answer as explicit when the status is set; oidc-provider starts from 404 like any app.
  const { statusCode } = ctx.res
  ctx.res.statusCode = 404
  let answered = true
  try {
    await compose([...middlewareOf(provider)])(inner, async () => {
      answered = false
    })
  } catch (error) {
    // A failure after one of the store follows from it: oidc-provider saves a session again that it could not save.
    throw requestState(inner).unavailable ?? error
  }
  if (!answered) {
    ctx.res.statusCode = statusCode
    return false
  }
  const { status, body } = inner
  // As text: middleware of the host that rewrites objects would change names that are standardized. oidc-provider has
  // set the content type.
  ctx.body = typeof body === 'object' && body !== null ? JSON.stringify(body) : body
  ctx.status = status
  return true
}

/**
 * The address to which the pages return. Its query is dropped: the parameters of the authorization request are stored.
 *
 * Relies on: without a `client_id` in the query, oidc-provider answers an error there before it reads the parameters.
 * With one it reads parameters that are not set yet, and fails.
 */
const RETURN_FROM_PAGES = /^\/oauth2\/authorize\/./i
