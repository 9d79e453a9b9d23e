/**
 * Writes our API in the configured form, where a query or form names it as `resource` in another form (RFC 8707
 * 2). Clients may send what `new URL(…).href` gives: with a slash after a host without a path, with lower-case
 * scheme and host, without the default port. Nothing else is changed.
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

/** The form in which {base_url} is configured: origin and path as `new URL()` writes the origin. */
function canonicalForm(address: string): string | undefined {
  // The path is compared as it was sent, because `new URL()` changes more of it than a slash.
  const [, origin = '', path = ''] = ADDRESS.exec(address) ?? []
  const url = URL.parse(origin)
  return url === null ? undefined : url.origin + (path === '/' ? '' : path)
}

const ADDRESS = /^(https?:\/\/[^/?#\\@\s]+)(.*)$/i
