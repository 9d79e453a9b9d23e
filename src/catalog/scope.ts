/** Scopes that OpenID Connect has taken, whatever claims a host configures (OpenID Connect Core 5.4, 11). */
export const OPENID_SCOPES: readonly string[] = [
  'openid',
  'offline_access',
  'profile',
  'email',
  'address',
  'phone',
]

/** Characters that a scope may have at most, so that a few hundred of them fit a token. */
export const LONGEST_SCOPE = 256

/** Whether a text may be one scope: scope-token of RFC 6749 3.3. */
export function isScope(text: string): boolean {
  return text.length <= LONGEST_SCOPE && /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(text)
}
