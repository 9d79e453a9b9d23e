import type { Middleware } from 'koa'
import { answerErrorAsJson } from '../http/error-response.ts'
import { pathBelow, plainTarget } from '../http/request-path.ts'
import { answerDocument, answerWithMethods, DOCUMENT_METHODS } from '../http/public-document.ts'
import { hasTooManyParameters, TOO_MANY_PARAMETERS } from '../http/query-limit.ts'
import type { GatewayDependencies } from './dependencies.ts'

/** Seconds for which a client may cache the document. The document changes when the products change. */
const MAX_AGE_SECONDS = 60

/**
 * Serves the metadata of the API (RFC 9728 3). The metadata names the scopes of the API, and the issuer of
 * its tokens. The middleware passes all other requests on.
 */
export function wellKnown(
  dependencies: Pick<GatewayDependencies, 'issuer' | 'audience' | 'listScopes'>,
): Middleware {
  const { issuer, audience } = dependencies
  const { pathname } = protectedResourceMetadataUrl(audience)

  return async function wellKnown(ctx, next) {
    // Nearly all requests are calls of the API, and need no further check.
    if (plainTarget(ctx)?.startsWith(pathname) === false) return next()
    const path = pathBelow(ctx, '')
    if (path !== pathname && path !== `${pathname}/`) return next()
    if (answerWithMethods(ctx, DOCUMENT_METHODS)) return undefined
    if (hasTooManyParameters(ctx)) {
      const answer = { status: 400, error: 'invalid_request', description: TOO_MANY_PARAMETERS }
      return answerErrorAsJson(ctx, answer)
    }
    // RFC 9728 2 defines these fields.
    const document = {
      resource: audience,
      authorization_servers: [issuer],
      scopes_supported: dependencies.listScopes().toSorted(),
      bearer_methods_supported: ['header'],
    }
    return answerDocument(ctx, JSON.stringify(document), { maxAge: MAX_AGE_SECONDS })
  }
}

/**
 * The address of the metadata of an API. The well-known part goes between host and path, so that several APIs
 * may share a host (RFC 9728 3.1). `https://example.com/api` gives
 * `https://example.com/.well-known/oauth-protected-resource/api`.
 *
 * @param audience {base_url}
 */
export function protectedResourceMetadataUrl(audience: string): URL {
  const { origin, pathname } = new URL(audience)
  return new URL(`/.well-known/oauth-protected-resource${pathname === '/' ? '' : pathname}`, origin)
}
