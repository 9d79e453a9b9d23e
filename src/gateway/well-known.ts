import type { Middleware } from 'koa'
import type { GatewayDependencies } from './dependencies.ts'
import { protectedResourceMetadata, protectedResourceMetadataUrl } from './metadata.ts'

/** Seconds for which a client may keep the document; it changes with the products. */
const MAX_AGE = 60

/** Serves the metadata about the API at its address (RFC 9728 3), and nothing else. */
export function wellKnown(
  dependencies: Pick<GatewayDependencies, 'issuer' | 'audience' | 'listScopes'>,
): Middleware {
  const { issuer, audience } = dependencies
  const { pathname } = protectedResourceMetadataUrl(audience)

  return async function wellKnown(ctx, next) {
    // `ctx.url` first: Node's parser, behind `ctx.path`, throws at some absolute forms.
    const isAsked = ctx.url.startsWith(pathname) && ctx.path === pathname
    if (!isAsked || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) {
      await next()
      return
    }
    ctx.set('Cache-Control', `public, max-age=${MAX_AGE}`)
    ctx.body = protectedResourceMetadata({ issuer, audience, scopes: dependencies.listScopes() })
  }
}
