import { errors } from 'oidc-provider'
import { MAX_TOKEN_LENGTH } from '../../gateway/bearer-token.ts'
import { mayContainSecret } from '../../clients/secret-format.ts'

/** The longest scope that an error repeats, in characters. All scopes of a catalog are shorter. */
const MAX_REPEATED_LENGTH = 256

/** Reads `scope` (RFC 6749 3.3) for all grants. One scope too many is `invalid_scope`. Each is returned once. */
export function requestedScopes(scope: string | undefined): string[] {
  return [...new Set(scope?.split(' ').filter(Boolean))]
}

/** Scopes that OpenID Connect defines (Core 5.4 and 11). Client libraries request them at every issuer. */
const STANDARD_SCOPES = new Set(['profile', 'email', 'address', 'phone', 'offline_access'])

/** Ignored by OpenID Connect Core 3.1.2.1. Every code exchange gives what `offline_access` asks for. */
export function isIgnoredScope(scope: string, openIdScopes: readonly string[]): boolean {
  return STANDARD_SCOPES.has(scope) && !openIdScopes.includes(scope)
}

/** @throws invalid_scope for the first rejected scope, without quoting what looks like a secret */
export function requireAllowed(requested: readonly string[], explain: (scope: string) => string | undefined) {
  for (const scope of requested) {
    const reason = explain(scope)
    if (reason === undefined) continue
    throw mayContainSecret(scope)
      ? invalidScope('this operation does not exist')
      : invalidScope(reason, scope)
  }
}

/** In bytes: base64url makes 4 characters of 3 bytes, and the rest of a token has at most 4096 characters. */
const MAX_SCOPE_BYTES = ((MAX_TOKEN_LENGTH - 4096) * 3) / 4

/** Rejects an empty scope (RFC 6749 3.3), and one too long for the gateway. @throws invalid_scope */
export function requireUsableScope(scopes: readonly string[]): void {
  if (scopes.length === 0) {
    throw invalidScope(
      'none of the authorized scopes is available to this application now; check its products, the KYC level of its developer, and the operations that the host allows this user',
    )
  }
  if (scopes.join(' ').length <= MAX_SCOPE_BYTES) return
  throw invalidScope(
    `a token with more than ${MAX_SCOPE_BYTES} bytes of scope is too long for a header; request fewer operations with the parameter scope, or remove operations from this client`,
  )
}

/** `invalid_scope` (RFC 6749 4.1.2.1, 5.2). `scope` is the rejected scope, if there is exactly one. */
export function invalidScope(description: string, scope?: string): Error {
  // The constructor demands a scope, but an empty text would become `"scope": ""` in the response.
  const named = scope !== undefined && scope.length <= MAX_REPEATED_LENGTH ? scope : undefined
  return new errors.InvalidScope(description, named as string)
}
