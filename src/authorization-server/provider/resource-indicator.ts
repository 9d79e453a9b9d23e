import { errors, type ResourceServer } from 'oidc-provider'
import type { Resource, Resources } from '../../catalog/resources.ts'

/** The resource that a `resource` parameter names (RFC 8707 2): a value, or a list if it is repeated. */
export function namedResource(
  parameter: unknown,
  { main, all, find }: Resources,
  byDefault: string = main.address,
): Resource {
  const isAbsent = parameter === undefined || parameter === ''
  const [first, ...others] = new Set<unknown>(isAbsent ? [byDefault] : [parameter].flat())
  const resource = find(first)
  const unknown = [first, ...others].find((each) => !find(each))
  if (!resource || unknown !== undefined) {
    const nearest = findNearest(unknown, all)
    const leaveOut = nearest === main ? 'leave it out or ' : ''
    throw new errors.InvalidTarget(`unknown resource; ${leaveOut}send ${nearest.address}`)
  }
  if (others.length > 0) {
    throw new errors.InvalidTarget('a token is for one resource; send one request for each resource')
  }
  return resource
}

/** The one whose address has the longest start in common with a value, without the scheme and a last slash. */
function findNearest(sent: unknown, all: Resources['all']): Resource {
  const comparable = (text: string) => Buffer.from(`${text.toLowerCase().replace(/^https?:\/\/|\/$/g, '')}/`)
  const wanted = comparable(String(sent).slice(0, MAX_LENGTH))
  // The -1 at the end is no byte, so it always differs.
  const common = ({ address }: Resource) =>
    [...comparable(address), -1].findIndex((byte, at) => byte !== wanted[at])
  return all.reduce((best, each) => (common(each) > common(best) ? each : best))
}

export function otherResource(token: 'authorization code' | 'refresh token', address: string): string {
  return `the ${token} is for the resource ${address}; leave resource out, or send this one`
}

/** @param scope space-delimited scopes that a token may carry */
export function resourceServerOf({ address }: Pick<Resource, 'address'>, scope: string): ResourceServer {
  return { audience: address, scope, accessTokenFormat: 'jwt', jwt: { sign: { alg: 'ES256' } } }
}

/**
 * Replaces other spellings of the address of a resource in a query or form (RFC 8707 2), such as that of `new
 * URL(…).href`. Leaves one blank between two scopes, and no other, as oidc-provider expects (RFC 6749 3.3).
 */
export function canonicalizeParameters(text: string, { find }: Pick<Resources, 'find'>): string {
  if (!text.includes('scope=') && !text.includes('resource=')) return text
  const trimmed = text.replaceAll(SCOPE, (scopes) => scopes.replace(BLANKS, '+').replace(/^\+|\+$/g, ''))
  return trimmed.replaceAll(RESOURCE, (parameter, name: string, value: string) => {
    if (value.length > MAX_LENGTH) return parameter
    const sent = new URLSearchParams(`resource=${value}`).get('resource') ?? ''
    const resource = find(canonicalForm(sent))
    return resource ? name + encodeURIComponent(resource.address) : parameter
  })
}

/** Characters of a `resource` that is parsed, because parsing a long address takes long. */
const MAX_LENGTH = 2000

const RESOURCE = /((?:^|[?&])resource=)([^&]*)/g
const SCOPE = /(?<=(?:^|[?&])scope=)[^&]*/g
const BLANKS = /(?:[ +]|%20)+/g

function canonicalForm(address: string): string | undefined {
  // The path is compared as it was sent, because `new URL()` would change more of the path than a slash.
  const [, origin = '', path = ''] = ADDRESS.exec(address) ?? []
  const url = URL.parse(origin)
  return url === null ? undefined : url.origin + (path === '/' ? '' : path)
}

const ADDRESS = /^(https?:\/\/[^/?#\\@\s]+)(.*)$/is
