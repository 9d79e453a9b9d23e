import { createHash } from 'node:crypto'
import type { Context } from 'koa'

/** Methods that a public document answers. */
export const DOCUMENT_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS']

/**
 * Answers with a document that anybody may read, also a page of another origin: 304 where the client has it already.
 *
 * @param text the document, serialized
 * @param options.type its media type
 * @param options.maxAge seconds for which it may be kept
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

/** Answers OPTIONS, preflights included (RFC 9110 9.3.7, Fetch 3.2.5), where the answer is a public document. */
export function answerDocumentOptions(ctx: Context): void {
  answerOptions(ctx, DOCUMENT_METHODS)
  if (!allowEveryOrigin(ctx)) return
  ctx.set({
    'Access-Control-Allow-Methods': 'GET',
    'Access-Control-Allow-Headers': '*',
    'Access-Control-Max-Age': '3600',
  })
}

/** Answers OPTIONS where pages of other origins are not answered: with the methods, and without a word of CORS. */
export function answerOptions(ctx: Context, methods: readonly string[]): void {
  ctx.status = 204
  ctx.set('Allow', methods.join(', '))
}

/**
 * Whether a client has the answer already (RFC 9110 13.1.2). Not Koa's `fresh`: `fetch` adds `Cache-Control: no-cache`
 * to such a request, for which that is never true.
 */
export function isKnown(etag: string, ifNoneMatch: string): boolean {
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes(etag)
}

/** Lets every origin read the answer; false where CORS middleware of the host has decided that already. */
function allowEveryOrigin(ctx: Context): boolean {
  if (ctx.response.get('Access-Control-Allow-Origin')) return false
  ctx.set('Access-Control-Allow-Origin', '*')
  return true
}
