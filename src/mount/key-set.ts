import { createHash } from 'node:crypto'
import type { Context } from 'koa'

/** Seconds for which anybody may keep the keys at most. */
const MAX_AGE = 600

/**
 * Seconds for which gateways may keep the keys: half of the time for which a key is published before it signs, so
 * that whoever kept them in the worst moment has the next ones well before they are needed.
 */
export function keySetMaxAge(publishAheadSeconds: number): number {
  return Math.min(MAX_AGE, Math.floor(publishAheadSeconds / 2))
}

/** Answers with a JWK Set (RFC 7517 5), for anybody. */
export function answerKeySet(ctx: Context, keys: { readonly keys: readonly object[] }, maxAge: number): void {
  ctx.set({ 'Access-Control-Allow-Origin': '*', 'Cache-Control': `public, max-age=${maxAge}` })
  if (ctx.method === 'OPTIONS') {
    ctx.set({ 'Access-Control-Allow-Methods': 'GET', 'Access-Control-Max-Age': '3600' })
    ctx.status = 204
    return
  }
  ctx.status = 200
  ctx.type = 'application/jwk-set+json'
  const text = JSON.stringify(keys)
  ctx.body = text
  ctx.etag = createHash('sha256').update(text).digest('base64url')
  if (ctx.fresh) ctx.status = 304
}
