import { createHash } from 'node:crypto'
import type { Context } from 'koa'

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

/** Answers OPTIONS for a public document, including preflights (RFC 9110 9.3.7, Fetch 3.2.5). */
export function answerDocumentOptions(ctx: Context): void {
  answerOptions(ctx, DOCUMENT_METHODS)
  if (!allowEveryOrigin(ctx)) return
  ctx.set({
    'Access-Control-Allow-Methods': 'GET',
    'Access-Control-Allow-Headers': '*',
    'Access-Control-Max-Age': '3600',
  })
}

/**
 * Answers OPTIONS for an endpoint that pages of other origins cannot use. The answer lists the methods, and
 * has no CORS headers.
 */
export function answerOptions(ctx: Context, methods: readonly string[]): void {
  ctx.status = 204
  ctx.set('Allow', methods.join(', '))
}

/**
 * Whether a client already has the answer (RFC 9110 13.1.2). Koa's `fresh` does not work here. `fetch` adds
 * `Cache-Control: no-cache` to a request with `If-None-Match`, and `fresh` is then always false.
 */
export function isKnown(etag: string, ifNoneMatch: string): boolean {
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes(etag)
}

/**
 * Lets every origin read the answer. Returns false, and changes nothing, if CORS middleware of the host has
 * already set the header.
 */
function allowEveryOrigin(ctx: Context): boolean {
  if (ctx.response.get('Access-Control-Allow-Origin')) return false
  ctx.set('Access-Control-Allow-Origin', '*')
  return true
}
