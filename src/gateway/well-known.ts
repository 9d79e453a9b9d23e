import type { Middleware } from 'koa'
import { answerDocument, answerDocumentOptions, DOCUMENT_METHODS } from '../http/public-document.ts'
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
    if (!isAsked || !DOCUMENT_METHODS.includes(ctx.method)) {
      await next()
      return
    }
    if (ctx.method === 'OPTIONS') {
      answerDocumentOptions(ctx)
      return
    }
    const document = protectedResourceMetadata({ issuer, audience, scopes: dependencies.listScopes() })
    answerDocument(ctx, JSON.stringify(document), { maxAge: MAX_AGE })
  }
}
