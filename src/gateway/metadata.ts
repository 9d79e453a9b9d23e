/** Metadata about the API (RFC 9728 2). */
export interface ProtectedResourceMetadata {
  readonly resource: string
  readonly authorization_servers: readonly string[]
  readonly scopes_supported: readonly string[]
  readonly bearer_methods_supported: readonly ['header']
}

/**
 * Creates the document that names the issuer of tokens for the API and its scopes (RFC 9728 2).
 *
 * @param resource.issuer {auth_url}
 * @param resource.audience {base_url}
 */
export function protectedResourceMetadata(resource: {
  readonly issuer: string
  readonly audience: string
  readonly scopes: readonly string[]
}): ProtectedResourceMetadata {
  return {
    resource: resource.audience,
    authorization_servers: [resource.issuer],
    scopes_supported: resource.scopes.toSorted(),
    bearer_methods_supported: ['header'],
  }
}

/**
 * The address of that document. The well-known part goes between host and path, so that several APIs may share
 * a host (RFC 9728 3.1). `https://example.com/api` gives
 * `https://example.com/.well-known/oauth-protected-resource/api`.
 *
 * @param audience {base_url}
 */
export function protectedResourceMetadataUrl(audience: string): URL {
  const { origin, pathname } = new URL(audience)
  return new URL(`/.well-known/oauth-protected-resource${pathname === '/' ? '' : pathname}`, origin)
}
