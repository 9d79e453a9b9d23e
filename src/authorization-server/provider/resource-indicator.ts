import { errors, type ResourceServer } from 'oidc-provider'

/**
 * Rejects a `resource` parameter that names any resource other than our API (RFC 8707 2).
 *
 * @throws {errors.InvalidTarget}
 */
export function requireKnownResource(resource: unknown, audience: string): void {
  if (isKnownResource(resource, audience)) return
  throw new errors.InvalidTarget(`unknown resource; leave it out or send ${audience}`)
}

/** Whether a `resource` parameter is absent, or names our API and no other resource. */
export function isKnownResource(resource: unknown, audience: string): boolean {
  if (resource === undefined || resource === '') return true
  const named = Array.isArray(resource) ? resource : [resource]
  return named.every((name) => name === audience)
}

/**
 * Describes our API to oidc-provider as a resource server.
 *
 * @param scope space-delimited scopes that a token may carry
 */
export function resourceServerOf(audience: string, scope: string): ResourceServer {
  return { audience, scope, accessTokenFormat: 'jwt', jwt: { sign: { alg: 'ES256' } } }
}
