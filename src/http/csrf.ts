import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Context } from 'koa'

/** Tokens that a form carries to prove that it came from a page of ours, shown to this person. */
export interface CsrfTokens {
  /** The token of a form; `binding` is what it is good for: the interaction, the account, the user. */
  issue(...binding: readonly (string | undefined)[]): string
  /** Whether `token` was issued for exactly this binding. Takes the same time for each wrong one. */
  isValid(token: string | undefined, ...binding: readonly (string | undefined)[]): boolean
}

/**
 * CSRF tokens without storage: HMAC-SHA256 over what they are bound to.
 *
 * @param keys at least 32 bytes each, newest first, the same in every process that serves the pages; the newest
 *   issues, all of them verify
 */
export function createCsrfTokens(keys: readonly Uint8Array[]): CsrfTokens {
  const [newest] = keys
  if (!newest) throw new TypeError('at least one key is needed')
  const mac = (key: Uint8Array, binding: readonly (string | undefined)[]) =>
    // JSON keeps the parts apart: ('ab', 'c') and ('a', 'bc') differ, and so do absent and empty.
    createHmac('sha256', key)
      .update(JSON.stringify(['csrf', ...binding.map((part) => part ?? null)]))
      .digest()
  return {
    issue: (...binding) => mac(newest, binding).toString('base64url'),
    isValid(token, ...binding) {
      const given = Buffer.from(token ?? '', 'base64url')
      return keys.some((key) => {
        const expected = mac(key, binding)
        return given.length === expected.length && timingSafeEqual(given, expected)
      })
    },
  }
}

/**
 * Whether a request may come from a page of ours, by what browsers say of themselves (Fetch Metadata, Origin).
 * A client that says nothing passes: the token of the form decides.
 *
 * @param origin the origin that browsers see, from `issuer`
 */
export function isSameOrigin(ctx: Context, origin: string): boolean {
  const site = ctx.get('Sec-Fetch-Site')
  const sentOrigin = ctx.get('Origin')
  return (site === '' || site === 'same-origin') && (sentOrigin === '' || sentOrigin === origin)
}
