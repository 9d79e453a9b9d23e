import { errors } from 'oidc-provider'

/** Characters of a scope that an error names; one that is longer is none of ours. */
const MAX_NAMED = 256

/** The scopes that a `scope` parameter names, each once (RFC 6749 3.3). */
export function requestedScopes(scope: string | undefined): string[] {
  return [...new Set(scope?.split(' ').filter(Boolean))]
}

/** Scopes that OpenID Connect names (Core 5.4 and 11); client libraries ask for them wherever they sign in. */
const STANDARD_SCOPES: ReadonlySet<string> = new Set([
  'profile',
  'email',
  'address',
  'phone',
  'offline_access',
])

/**
 * Whether a scope is ignored where it is asked for: a standard one that this issuer does not have (OpenID Connect
 * Core 3.1.2.1). Each code exchange gives a refresh token, so `offline_access` adds nothing.
 */
export function isIgnoredScope(scope: string, openIdScopes: readonly string[]): boolean {
  return STANDARD_SCOPES.has(scope) && !openIdScopes.includes(scope)
}

/**
 * Rejects a request for what may not be asked for.
 *
 * @param explain why a scope is rejected, undefined if it is not
 * @throws invalid_scope, for the first that is rejected
 */
export function requireAllowed(
  requested: readonly string[],
  explain: (scope: string) => string | undefined,
): void {
  for (const scope of requested) {
    const reason = explain(scope)
    if (reason !== undefined) throw invalidScope(reason, scope)
  }
}

/** An `invalid_scope` error (RFC 6749 4.1.2.1, 5.2); `scope` names the one that is rejected, if it is one. */
export function invalidScope(description: string, scope?: string): Error {
  // The type asks for a scope, but one that is empty would be answered to the client as `"scope": ""`.
  const named = scope !== undefined && scope.length <= MAX_NAMED ? scope : undefined
  return new errors.InvalidScope(description, named as string)
}
