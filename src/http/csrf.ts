import { createHmac, timingSafeEqual } from 'node:crypto'

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
