import { createHash } from 'node:crypto'
import type { Context } from 'koa'
import { isKnown } from '../../../http/public-document.ts'
import type { RevocationPage, RevocationSource } from '../../../revocation/revocation-source.ts'
import { authenticateGateway, type GatewayAuthentication } from '../authenticate-gateway.ts'

/** Gateways with the same cursor share one page. This can delay a revocation by these milliseconds. */
const SHARE_PAGE_MS = 100

/**
 * Serves gateways that have no access to the store, with one page of the log of revocations since their `cursor`.
 * While there are no new revocations, the response stays the same, and a request with its `ETag` gets 304.
 */
export type RevocationFeed = (ctx: Context) => Promise<void>

export function createRevocationFeed(
  parts: GatewayAuthentication & { readonly source: RevocationSource },
): RevocationFeed {
  const read = sharedReads(parts.source)

  return async function revocationFeed(ctx) {
    if (!(await authenticateGateway(parts, ctx))) return
    const { cursor } = ctx.query
    answerPage(ctx, await read(typeof cursor === 'string' ? cursor : ''))
  }
}

function answerPage(ctx: Context, { revocations, cursor, more }: RevocationPage): void {
  const text = JSON.stringify({ revocations, cursor, more })
  ctx.set('Cache-Control', 'no-store')
  ctx.status = 200
  ctx.type = 'application/json'
  ctx.body = text
  // After a 304 the gateway would keep its old cursor, but it needs the next one.
  if (more) return
  const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`
  ctx.set('ETag', etag)
  if (isKnown(etag, ctx.get('If-None-Match'))) ctx.status = 304
}

function sharedReads(source: RevocationSource): (cursor: string) => Promise<RevocationPage> {
  const shared = new Map<string, { readonly since: number; readonly page: Promise<RevocationPage> }>()

  return function read(cursor) {
    const now = performance.now()
    for (const [key, { since }] of shared) if (now - since > SHARE_PAGE_MS) shared.delete(key)
    const known = shared.get(cursor)
    if (known) return known.page
    const page = source.read(cursor === '' ? undefined : cursor)
    shared.set(cursor, { since: now, page })
    page.catch(() => shared.delete(cursor))
    return page
  }
}
