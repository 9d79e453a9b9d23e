import type { Context } from 'koa'
import { answerDocument } from '../../../http/public-document.ts'

/** Maximum seconds for which the public keys may be cached. */
const MAX_AGE_SECONDS = 600

/**
 * Seconds for which gateways may cache the public keys: at most half of `publishAheadSeconds`. A new key begins to sign
 * `publishAheadSeconds` after its publication, so by then every gateway has fetched the new key.
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
