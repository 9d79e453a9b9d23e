import type { Middleware } from 'koa'
import { pathBelow } from '../../http/request-path.ts'
import type { Pages } from '../interaction/pages.ts'

/**
 * Tells a person who opens the issuer in a browser what this address is, and where the discovery document is. If the
 * host answers the request, or if the client is a program, the answer stays as it is.
 */
export function issuerPage(issuer: string, mountPath: string, pages: Pages): Middleware {
  return async function issuerPage(ctx, next) {
    const isIssuer = pathBelow(ctx, mountPath) === '/' && ['GET', 'HEAD'].includes(ctx.method)
    await next()
    const isUnanswered =
      ctx.status === 404 && ctx.body === undefined && ctx.respond !== false && !ctx.headerSent
    if (!isIssuer || !isUnanswered || ctx.accepts('json', 'html') !== 'html') return
    ctx.vary('Accept')
    pages.renderIssuer(ctx, `${issuer}/.well-known/openid-configuration`)
  }
}
