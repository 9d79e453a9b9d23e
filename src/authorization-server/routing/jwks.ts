import type { Context } from 'koa'
import { answerDocument } from '../../http/public-document.ts'

/** Seconds for which anybody may keep the keys at most. */
const MAX_AGE = 600

/**
 * Seconds for which gateways may keep the keys: half of the time for which a key is published before it signs, so
 * that whoever kept them in the worst moment has the next ones well before they are needed.
 */
export function jwksMaxAge(publishAheadSeconds: number): number {
  return Math.min(MAX_AGE, Math.floor(publishAheadSeconds / 2))
}

/** Answers with a JWK Set (RFC 7517 5), for anybody. */
export function respondWithJwks(
  ctx: Context,
  keys: { readonly keys: readonly object[] },
  maxAge: number,
): void {
  answerDocument(ctx, JSON.stringify(keys), { type: 'application/jwk-set+json', maxAge })
}
