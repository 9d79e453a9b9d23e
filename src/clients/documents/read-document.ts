import { digest } from '../../store/digest.ts'
import { isObject } from '../../validation/predicates.ts'
import { nameRule } from '../client-name.ts'
import { toFault } from '../../errors.ts'
import { displayText } from '../../http/pages/display-text.ts'
import {
  MAX_REDIRECT_URIS,
  findPublicRedirectUriProblem,
  findWebUriProblem,
  redirectKindOf,
} from '../application-uris.ts'
import { identityOf, MAX_KEYS, type JwkSet } from '../jwk-set.ts'
import { readPublicKey } from '../public-keys.ts'
import { originOf } from '../../validation/document-id.ts'
import type { DocumentMetadata } from './to-application.ts'

// What a document must say (draft-ietf-oauth-client-id-metadata-document-02 section 4, profile of MCP 2026-07-28).

/** Everybody could read them (draft section 4.1). */
const FORBIDDEN = ['client_secret', 'client_secret_expires_at']

const METHODS = ['private_key_jwt', 'none'] as const

/** Checks a document. @returns what it says, or what is wrong: it continues "the document of the client" */
export function readDocument(
  clientId: string,
  body: Readonly<Record<string, unknown>>,
): DocumentMetadata | string {
  if (body['client_id'] !== clientId) return 'has another client_id than its address'
  const forbidden = FORBIDDEN.find((name) => body[name] !== undefined)
  if (forbidden !== undefined) return `must not have ${forbidden}`
  const name = body['client_name']
  const problem = nameRule(name)
  if (problem !== undefined)
    return `has a client_name that cannot be used: it ${toFault(problem as string).message}`
  if (displayText(String(name)) === '') return 'has a client_name without a visible character'
  const redirectUris = usableRedirectUris(body['redirect_uris'])
  if (redirectUris.length === 0) {
    return 'must have redirect_uris that start with "https://", or with "http://" on localhost, 127.0.0.1 or [::1]'
  }
  const credentials = readCredentials(body)
  if (typeof credentials === 'string') return credentials
  return {
    name: String(name).trim(),
    redirectUris,
    ...credentials,
    privacyUri: linkIn(body['policy_uri'], clientId),
    termsUri: linkIn(body['tos_uri'], clientId),
  }
}

/** Changes with everything on which an approval depends (draft, "Changes in Client Metadata"). */
export function versionOf({ name, redirectUris, method, jwks, jwksUri }: DocumentMetadata): string {
  const keys = jwksUri ?? jwks?.keys.map(identityOf).toSorted() ?? []
  return digest(JSON.stringify([name, redirectUris.toSorted(), method, keys]))
}

/** Private-use schemes are left out: the client may have both. */
function usableRedirectUris(given: unknown): string[] {
  if (!Array.isArray(given)) return []
  const usable = given.filter(
    (uri): uri is string =>
      findPublicRedirectUriProblem(uri) === undefined && redirectKindOf(String(uri)) !== 'private-scheme',
  )
  return [...new Set(usable)].slice(0, MAX_REDIRECT_URIS)
}

/** The first of our methods that it lists. Without a list, its method is `token_endpoint_auth_method`, or `none`. */
function readCredentials(
  body: Readonly<Record<string, unknown>>,
): Pick<DocumentMetadata, 'method' | 'jwks' | 'jwksUri'> | string {
  const single = body['token_endpoint_auth_method'] ?? 'none'
  if (typeof single === 'string' && single.startsWith('client_secret')) {
    return 'must not use a secret as token_endpoint_auth_method: everybody could read it'
  }
  const listed = body['token_endpoint_auth_methods_supported']
  const methods: unknown[] = Array.isArray(listed) ? listed : [single]
  const { jwks, jwks_uri: jwksUri } = body
  const hasKeys = jwks !== undefined || jwksUri !== undefined
  const method = METHODS.find((each) => methods.includes(each) && (each === 'none' || hasKeys))
  if (method === undefined) {
    return `must have one of these methods: none, or private_key_jwt with jwks or jwks_uri`
  }
  if (method === 'none') return { method }
  if (jwks !== undefined && jwksUri !== undefined) return 'must not have both jwks and jwks_uri (RFC 7591 2)'
  if (jwksUri !== undefined) {
    const isAddress =
      typeof jwksUri === 'string' && jwksUri.length <= 1024 && URL.parse(jwksUri)?.protocol === 'https:'
    return isAddress ? { method, jwksUri } : 'has a jwks_uri that does not start with "https://"'
  }
  const keys = readKeySet(jwks)
  return typeof keys === 'string' ? keys : { method, jwks: keys }
}

/** A client may have keys for other services (RFC 7517 5). @returns at least one key, or what is wrong */
export function readKeySet(given: unknown): JwkSet | string {
  const listed: unknown[] = isObject(given) && Array.isArray(given['keys']) ? given['keys'] : []
  const read = listed.slice(0, MAX_KEYS).map((key) => readPublicKey(key, 0))
  if (read.some((key) => 'code' in key && key.code === 'private-key')) return 'has a private key'
  const keys = read.filter((key) => 'kty' in key)
  return keys.length > 0 ? { keys } : 'has no key for ES256, RS256 or PS256'
}

/** Only on the host of the document: the link seems to belong to that host. */
function linkIn(given: unknown, clientId: string): string | undefined {
  if (findWebUriProblem(given) !== undefined) return undefined
  return new URL(String(given)).origin === originOf(clientId) ? String(given) : undefined
}
