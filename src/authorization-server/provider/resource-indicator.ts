import { errors } from 'oidc-provider'

/**
 * Rejects a `resource` parameter that names any resource other than our API (RFC 8707 2).
 *
 * @throws {errors.InvalidTarget}
 */
export function requireKnownResource(resource: unknown, audience: string): void {
  if (resource === undefined || resource === '') return
  const named = Array.isArray(resource) ? resource : [resource]
  if (named.every((name) => name === audience)) return
  throw new errors.InvalidTarget(`unknown resource; leave it out or send ${audience}`)
}
