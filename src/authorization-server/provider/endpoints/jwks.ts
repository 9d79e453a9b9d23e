import type { Context } from 'koa'
import { answerDocument } from '../../../http/public-document.ts'

const MAX_AGE_SECONDS = 600

/** Seconds. At most half of `publishAheadSeconds`, so that gateways have a new key before it signs. */
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
