import type { Context } from 'koa'
import { answerDocument } from '../../../http/public-document.ts'

/** Maximum seconds for which the public keys may be cached. */
const MAX_AGE_SECONDS = 600

/**
 * Seconds for which gateways may cache the public keys. This is at most half of the time between the
 * publication of a new key and the first signature with that key. A gateway may have cached the keys just
 * before a new key was published. Even then it fetches the new key well before that key signs.
 */
export function jwksMaxAge(publishAheadSeconds: number): number {
  return Math.min(MAX_AGE_SECONDS, Math.floor(publishAheadSeconds / 2))
}

/** Answers with the public JWK Set (RFC 7517 5). `maxAge` is in seconds. */
export function respondWithJwks(
  ctx: Context,
  keys: { readonly keys: readonly object[] },
  maxAge: number,
): void {
  answerDocument(ctx, JSON.stringify(keys), { type: 'application/jwk-set+json', maxAge })
}
