import { createHash } from 'node:crypto'
import type { Context } from 'koa'
import { reject } from './error-response.ts'

export const DOCUMENT_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS']

/** Pages of all origins may read it. 304 if the client has it already. `maxAge` is in seconds. */
export function answerDocument(
  ctx: Context,
  text: string,
  { type = 'application/json', maxAge }: { readonly type?: string; readonly maxAge: number },
): void {
  const etag = `"${createHash('sha256').update(text).digest('base64url')}"`
  allowEveryOrigin(ctx)
  ctx.set({ 'Cache-Control': `public, max-age=${maxAge}`, ETag: etag })
  ctx.status = 200
  ctx.type = type
  ctx.body = text
  if (isKnown(etag, ctx.get('If-None-Match'))) ctx.status = 304
}

/**
 * Answers OPTIONS, and rejects unsupported methods with 405 (RFC 9110 15.5.6). Returns whether it did. Pages of all
 * origins may read an address with {@link DOCUMENT_METHODS}.
 */
export function answerWithMethods(ctx: Context, methods: readonly string[]): boolean {
  if (!methods.includes(ctx.method)) {
    ctx.set('Allow', methods.join(', '))
    const description = `${ctx.method} is not supported here; use ${methods.join(' or ')}`
    reject(ctx, 405, 'invalid_request', description)
    return true
  }
  if (ctx.method !== 'OPTIONS') return false
  ctx.status = 204
  ctx.set('Allow', methods.join(', '))
  // Fetch 3.2.5.
  if (methods === DOCUMENT_METHODS && allowEveryOrigin(ctx)) {
    ctx.set({
      'Access-Control-Allow-Methods': 'GET',
      'Access-Control-Allow-Headers': '*',
      'Access-Control-Max-Age': '3600',
    })
  }
  return true
}

/** RFC 9110 13.1.2. Koa's `fresh` is false for `Cache-Control: no-cache`, which `fetch` sends. */
export function isKnown(etag: string, ifNoneMatch: string): boolean {
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes(etag) || tags.includes('*')
}

/** Changes nothing if CORS middleware of the host has already set `Access-Control-Allow-Origin`. */
function allowEveryOrigin(ctx: Context): boolean {
  if (ctx.response.get('Access-Control-Allow-Origin')) return false
  ctx.set('Access-Control-Allow-Origin', '*')
  return true
}
