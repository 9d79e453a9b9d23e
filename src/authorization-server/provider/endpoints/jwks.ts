import type { Context } from 'koa'
import { answerDocument } from '../../../http/public-document.ts'

const MAX_AGE_SECONDS = 600

/**
 * Seconds for which gateways may cache the public keys: at most half of `publishAheadSeconds`, so that every
 * gateway has fetched a new key before it signs.
 */
export function jwksMaxAge(publishAheadSeconds: number): number {
  return Math.min(MAX_AGE_SECONDS, Math.floor(publishAheadSeconds / 2))
}

/** RFC 7517 5. `maxAge` is in seconds. */
export function respondWithJwks(
  ctx: Context,
  keys: { readonly keys: readonly object[] },
  maxAge: number,
): void {
  answerDocument(ctx, JSON.stringify(keys), { type: 'application/jwk-set+json', maxAge })
}
