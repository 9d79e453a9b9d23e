/** Scopes that OpenID Connect reserves, whatever claims the host configures (OpenID Connect Core 5.4, 11). */
export const OPENID_SCOPES = 'openid offline_access profile email address phone'.split(' ')

/** Maximum characters of a scope, so that a few hundred scopes fit into a token. */
export const MAX_SCOPE_LENGTH = 256

/** Whether a text is a valid scope: `scope-token` of RFC 6749 3.3. */
export function isScope(text: string): boolean {
  return text.length <= MAX_SCOPE_LENGTH && /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(text)
}
