import { createHash } from 'node:crypto'
import type { Context } from 'koa'
import { answerErrorAsJson } from './error-response.ts'

/** Methods that a public document supports. */
export const DOCUMENT_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS']

/**
 * Answers with a public document. Pages of all origins may read it. If the client has the document already,
 * the status is 304.
 *
 * @param text the document, serialized
 * @param options.type the media type of the document
 * @param options.maxAge seconds for which a client may cache the document
 */
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
 * Answers OPTIONS, and rejects unsupported methods with 405 (RFC 9110 15.5.6). The answer to OPTIONS allows
 * pages of other origins to read public documents, but not to use endpoints.
 *
 * @param methods the methods of the address; {@link DOCUMENT_METHODS} for a public document
 * @returns whether the request was answered
 */
export function answerWithMethods(ctx: Context, methods: readonly string[]): boolean {
  if (!methods.includes(ctx.method)) {
    ctx.set('Allow', methods.join(', '))
    const description = `${ctx.method} is not supported here; use ${methods.join(' or ')}`
    answerErrorAsJson(ctx, { status: 405, error: 'invalid_request', description })
    return true
  }
  if (ctx.method !== 'OPTIONS') return false
  ctx.status = 204
  ctx.set('Allow', methods.join(', '))
  // Pages of all origins may read a public document (Fetch 3.2.5).
  if (methods === DOCUMENT_METHODS && allowEveryOrigin(ctx)) {
    ctx.set({
      'Access-Control-Allow-Methods': 'GET',
      'Access-Control-Allow-Headers': '*',
      'Access-Control-Max-Age': '3600',
    })
  }
  return true
}

/**
 * Whether a client already has the answer (RFC 9110 13.1.2); `*` means any answer. Koa's `fresh` does not work here:
 * it is false if a request has `Cache-Control: no-cache`. `fetch` sends this header with each `If-None-Match`.
 */
export function isKnown(etag: string, ifNoneMatch: string): boolean {
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes(etag) || tags.includes('*')
}

/**
 * Lets every origin read the answer. Returns false, and changes nothing, if CORS middleware of the host has already set
 * `Access-Control-Allow-Origin`.
 */
function allowEveryOrigin(ctx: Context): boolean {
  if (ctx.response.get('Access-Control-Allow-Origin')) return false
  ctx.set('Access-Control-Allow-Origin', '*')
  return true
}
