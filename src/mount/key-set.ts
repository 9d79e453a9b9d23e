import type { Context } from 'koa'

/** Seconds for which gateways may keep the keys; long before a key signs, it is in here. */
const MAX_AGE = 600

/** Answers with a JWK Set (RFC 7517 5), for anybody. */
export function answerKeySet(ctx: Context, keys: { readonly keys: readonly object[] }): void {
  ctx.set({ 'Access-Control-Allow-Origin': '*', 'Cache-Control': `public, max-age=${MAX_AGE}` })
  if (ctx.method === 'OPTIONS') {
    ctx.set({ 'Access-Control-Allow-Methods': 'GET', 'Access-Control-Max-Age': '3600' })
    ctx.status = 204
    return
  }
  ctx.status = 200
  ctx.type = 'application/jwk-set+json'
  ctx.body = JSON.stringify(keys)
}
