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

/**
 * Replaces other spellings of {base_url} in the parameter `resource` by {base_url} (RFC 8707 2). Clients may
 * send the spelling of `new URL(…).href`: a slash after a host without a path, lower-case scheme and host, no
 * default port.
 *
 * @param text a query or form, as it was received
 * @param audience {base_url}
 */
export function canonicalizeResource(text: string, audience: string): string {
  return text.replaceAll(RESOURCE, (parameter, name: string, value: string) => {
    const resource = new URLSearchParams(`resource=${value}`).get('resource') ?? ''
    return canonicalForm(resource) === audience ? name + encodeURIComponent(audience) : parameter
  })
}

const RESOURCE = /((?:^|[?&])resource=)([^&]*)/g

/** An address in the form of {base_url}: the origin as `new URL()` writes it, and the path without a lone slash. */
function canonicalForm(address: string): string | undefined {
  // The path is compared as it was sent, because `new URL()` would change more of the path than a slash.
  const [, origin = '', path = ''] = ADDRESS.exec(address) ?? []
  const url = URL.parse(origin)
  return url === null ? undefined : url.origin + (path === '/' ? '' : path)
}

const ADDRESS = /^(https?:\/\/[^/?#\\@\s]+)(.*)$/i
