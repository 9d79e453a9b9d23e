import type { Middleware } from 'koa'
import { answerDocument, answerDocumentOptions, DOCUMENT_METHODS } from '../http/public-document.ts'
import type { GatewayDependencies } from './dependencies.ts'
import { protectedResourceMetadata, protectedResourceMetadataUrl } from './metadata.ts'

/** Seconds for which a client may cache the document, which changes with the products. */
const MAX_AGE_SECONDS = 60

/** Serves the metadata of the API at its address (RFC 9728 3), and passes all other requests on. */
export function wellKnown(
  dependencies: Pick<GatewayDependencies, 'issuer' | 'audience' | 'listScopes'>,
): Middleware {
  const { issuer, audience } = dependencies
  const { pathname } = protectedResourceMetadataUrl(audience)

  return async function wellKnown(ctx, next) {
    // `ctx.url` comes first, because reading `ctx.path` throws for some absolute forms.
    const isRequested = ctx.url.startsWith(pathname) && ctx.path === pathname
    if (!isRequested || !DOCUMENT_METHODS.includes(ctx.method)) {
      await next()
      return
    }
    if (ctx.method === 'OPTIONS') {
      answerDocumentOptions(ctx)
      return
    }
    const document = protectedResourceMetadata({ issuer, audience, scopes: dependencies.listScopes() })
    answerDocument(ctx, JSON.stringify(document), { maxAge: MAX_AGE_SECONDS })
  }
}
