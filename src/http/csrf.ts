import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Context } from 'koa'

/**
 * Creates CSRF tokens without storage. A token is the HMAC-SHA256 of the values for which it is valid (its
 * binding).
 *
 * @param keys the HMAC keys, at least 32 bytes each, newest first. All processes that serve the pages need
 *   the same keys. The newest key issues tokens, and all keys verify tokens
 */
export function createCsrfTokens(keys: readonly Uint8Array[]) {
  const [newest] = keys
  if (!newest) throw new TypeError('at least one key is needed')
  const mac = (key: Uint8Array, binding: readonly (string | undefined)[]) =>
    // JSON separates the parts, so that ('ab', 'c') and ('a', 'bc') give different tokens. An absent part and
    // an empty part also give different tokens.
    createHmac('sha256', key)
      .update(JSON.stringify(['csrf', ...binding.map((part) => part ?? null)]))
      .digest()
  return {
    /**
     * Creates the token of a form. The token is valid only for the values in `binding`: the interaction, the
     * account and the user.
     */
    issue: (...binding: readonly (string | undefined)[]) => mac(newest, binding).toString('base64url'),
    /**
     * Whether `token` was issued for exactly this binding. The comparison takes the same time for every token
     * of the right length.
     */
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
 * Whether a request may come from one of our pages, judged by the headers that browsers send (Fetch Metadata,
 * Origin). A request without these headers passes, because the CSRF token of the form is checked as well.
 *
 * @param origin the origin that browsers see, from `issuer`
 */
export function isSameOrigin(ctx: Context, origin: string): boolean {
  const site = ctx.get('Sec-Fetch-Site')
  const sentOrigin = ctx.get('Origin')
  return (site === '' || site === 'same-origin') && (sentOrigin === '' || sentOrigin === origin)
}

/**
 * Where the page that sent a request came from, judged by the same headers: from a page of this site, from another
 * site, or `unknown` if the request has neither header. A page without a referrer sends the Origin `null`, which
 * also says nothing.
 *
 * @param issuerOrigin the origin of the authorization service, which is an origin of the host too
 */
export function sendingSite(ctx: Context, issuerOrigin: string): 'own' | 'foreign' | 'unknown' {
  const site = ctx.get('Sec-Fetch-Site')
  const origin = ctx.get('Origin')
  // Browsers set Sec-Fetch-Site themselves, and a proxy does not change what it means.
  if (site !== '') return site === 'same-origin' ? 'own' : 'foreign'
  if (origin === '' || origin === 'null') return 'unknown'
  // `ctx.origin` is not used: in Koa 3 it is the header Origin itself.
  return origin === `${ctx.protocol}://${ctx.host}` || origin === issuerOrigin ? 'own' : 'foreign'
}
