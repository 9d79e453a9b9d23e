import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Context } from 'koa'

/**
 * Creates CSRF tokens without storage: HMAC-SHA256 over their binding.
 *
 * @param keys at least 32 bytes each, newest first, the same in every process that serves the pages; the newest
 *   key issues, all of them verify
 */
export function createCsrfTokens(keys: readonly Uint8Array[]) {
  const [newest] = keys
  if (!newest) throw new TypeError('at least one key is needed')
  const mac = (key: Uint8Array, binding: readonly (string | undefined)[]) =>
    // JSON separates the parts: ('ab', 'c') and ('a', 'bc') differ. An absent part and an empty part also differ.
    createHmac('sha256', key)
      .update(JSON.stringify(['csrf', ...binding.map((part) => part ?? null)]))
      .digest()
  return {
    /**
     * Creates the token of a form. `binding` is what it is valid for: the interaction, the account, the user.
     */
    issue: (...binding: readonly (string | undefined)[]) => mac(newest, binding).toString('base64url'),
    /** Whether `token` was issued for exactly this binding. Every wrong token takes the same time. */
    isValid(token: string | null, ...binding: readonly (string | undefined)[]): boolean {
      const received = Buffer.from(token ?? '', 'base64url')
      return keys.some((key) => {
        const expected = mac(key, binding)
        return received.length === expected.length && timingSafeEqual(received, expected)
      })
    },
  }
}

/** Tokens that prove that a form came from one of our pages and was shown to this person. */
export type CsrfTokens = ReturnType<typeof createCsrfTokens>

/**
 * Whether a request may come from one of our pages, by the headers of browsers (Fetch Metadata, Origin). A
 * client without these headers passes: the token of the form decides.
 *
 * @param origin the origin that browsers see, from `issuer`
 */
export function isSameOrigin(ctx: Context, origin: string): boolean {
  const site = ctx.get('Sec-Fetch-Site')
  const sentOrigin = ctx.get('Origin')
  return (site === '' || site === 'same-origin') && (sentOrigin === '' || sentOrigin === origin)
}
