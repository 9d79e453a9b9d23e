import type { Context } from 'koa'

const HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'WWW-Authenticate, Retry-After, RateLimit, RateLimit-Policy',
}
const HEADERS_OF_PREFLIGHT = {
  'access-control-allow-methods': 'GET, POST',
  'access-control-allow-headers': 'Authorization, Content-Type',
  'access-control-max-age': '7200',
}

/**
 * Lets pages of all origins call the API (CORS, Fetch 3.3). This is safe, because the API reads no cookies: a page without a
 * token gets 401. At its own endpoints, gatehouse answers the pages of public applications by itself.
 *
 * @param path the path of the API
 */
export function corsOfApi(path: string) {
  return async (ctx: Context, next: () => Promise<unknown>): Promise<void> => {
    const isCall = ctx.path.startsWith(`${path}/`)
    if (isCall) ctx.set(HEADERS)
    // A preflight has no token, so it is answered before the gateway asks for one.
    if (isCall && ctx.method === 'OPTIONS') {
      ctx.set(HEADERS_OF_PREFLIGHT)
      ctx.status = 204
      return
    }
    try {
      await next()
    } catch (error) {
      // Koa answers an error with the headers of the error alone.
      if (isCall) Object.assign(Object(error), { headers: { ...Object(error).headers, ...HEADERS } })
      throw error
    }
  }
}
