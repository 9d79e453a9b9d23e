import type { Middleware } from 'koa'
import { reject } from '../http/error-response.ts'
import { findHost } from '../http/request-host.ts'
import { pathBelow, plainTarget } from '../http/request-path.ts'
import { answerDocument, answerWithMethods, DOCUMENT_METHODS } from '../http/public-document.ts'
import { hasTooManyParameters, TOO_MANY_PARAMETERS } from '../http/query-limit.ts'
import type { GatewayDependencies } from './dependencies.ts'

const PATH = '/.well-known/oauth-protected-resource'

/** The document changes when the products change. */
const MAX_AGE_SECONDS = 60

/** Serves the metadata of APIs (RFC 9728 3), cacheable for a minute. The host selects if several have one path. */
export function wellKnown(
  apis: readonly Pick<GatewayDependencies, 'issuer' | 'audience' | 'listScopes'>[],
): Middleware {
  const documents = apis.map((api) => ({ api, address: protectedResourceMetadataUrl(api.audience) }))

  return function wellKnown(ctx, next) {
    // Nearly all requests are calls of the API, and need no further check.
    if (plainTarget(ctx)?.startsWith(PATH) === false) return next()
    const path = pathBelow(ctx, '')?.replace(/\/$/, '')
    const found = documents.filter(({ address }) => address.pathname === path)
    if (found.length === 0) return next()
    if (found.length > 1) ctx.vary(ctx.app.proxy ? 'Host, X-Forwarded-Host' : 'Host')
    const { api } = found[found.length > 1 ? (findHost(ctx, found) ?? -1) : 0] ?? {}
    if (api === undefined) return reject(ctx, 404, 'not_found', 'no resource with this path has this host')
    if (answerWithMethods(ctx, DOCUMENT_METHODS)) return undefined
    if (hasTooManyParameters(ctx)) return reject(ctx, 400, 'invalid_request', TOO_MANY_PARAMETERS)
    // RFC 9728 2 defines these fields.
    const document = {
      resource: api.audience,
      authorization_servers: [api.issuer],
      scopes_supported: api.listScopes().toSorted(),
      bearer_methods_supported: ['header'],
    }
    return answerDocument(ctx, JSON.stringify(document), { maxAge: MAX_AGE_SECONDS })
  }
}

/** The well-known part goes between host and path: several APIs may share a host (RFC 9728 3.1). */
export function protectedResourceMetadataUrl(audience: string): URL {
  const { origin, pathname } = new URL(audience)
  return new URL(`${PATH}${pathname === '/' ? '' : pathname}`, origin)
}
