import compose from 'koa-compose'
import type { Context } from 'koa'
import type { Provider } from 'oidc-provider'
import { requestProxy } from './request-proxy.ts'
import { requestState, startRequest } from './request-state.ts'
import { middlewareOf } from './seam/seam.ts'

/**
 * Lets oidc-provider answer a request of the host's app. It works in a context of its own, on the same request
 * and response: its cookies have its own keys whatever the host's app has, and nothing that it leaves on its
 * context reaches the host's. Headers are written to the one response; status and body are carried over.
 *
 * @param path the path below {auth_url}, such as `/oauth2/token`
 * @param form the form that was sent, as it was read; undefined if none is due
 * @returns false if oidc-provider has nothing there
 */
export async function runProvider(
  provider: Provider,
  ctx: Context,
  path: string,
  form?: string,
): Promise<boolean> {
  const request = requestProxy(ctx, BACK_FROM_PAGES.test(path) ? path : path + ctx.search, form)
  const inner = provider.createContext(request, ctx.res)
  startRequest(inner, ctx)
  // koa marks an answer as explicit when the status is set; oidc-provider starts from 404 like any app.
  const { statusCode } = ctx.res
  ctx.res.statusCode = 404
  let answered = true
  try {
    await compose([...middlewareOf(provider)])(inner, async () => {
      answered = false
    })
  } catch (error) {
    // What fails after the store did is a consequence of that: a session that could not be saved is saved once more.
    throw requestState(inner).unavailable ?? error
  }
  if (!answered) {
    ctx.res.statusCode = statusCode
    return false
  }
  const { status, body } = inner
  // As text: a middleware of the host's that rewrites objects would change what standards have named.
  ctx.body = isObject(body) ? JSON.stringify(body) : body
  ctx.status = status
  return true
}

/**
 * The address that the pages lead back to. It has no parameters: those of the authorization request were stored.
 *
 * Relies on: without a `client_id` in the query, oidc-provider answers an error there before it has read them. With
 * one it reads the parameters that are not there yet, and fails.
 */
const BACK_FROM_PAGES = /^\/oauth2\/authorize\/./i

/** Whether an answer is an object that Koa would send as JSON; it has the content type by then. */
function isObject(body: unknown): body is object {
  return typeof body === 'object' && body !== null
}
