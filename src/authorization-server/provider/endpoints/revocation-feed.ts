import { createHash } from 'node:crypto'
import type { Context } from 'koa'
import { answerErrorAsJson } from '../../../http/error-response.ts'
import { isKnown } from '../../../http/public-document.ts'
import type { RevocationPage, RevocationSource } from '../../../revocation/revocation-source.ts'
import { authenticateClient, type ClientSecrets } from './authenticate-client.ts'

/**
 * Milliseconds for which what was read at a cursor is good for others who ask at the same one, as gateways do that
 * were started together. By so much a revocation may be late there.
 */
const SHARED_FOR = 100

/**
 * Answers a gateway that has no access to the store: which tokens were revoked since its `cursor`, and where to
 * go on. A request is authenticated by HTTP Basic, with the secret of an API key that is marked as a resource server.
 *
 * `{ revocations, cursor, more }` is a page as the log has it. While nothing is new, the log answers the same cursor
 * again, so that the answer stays the same: with the `ETag` of the last one it is 304, and the cursor stays good.
 */
export type RevocationFeed = (ctx: Context) => Promise<void>

/** @param parts.realm what the credentials are for: {auth_url} */
export function createRevocationFeed(parts: {
  readonly registry: ClientSecrets
  readonly source: RevocationSource
  readonly realm: string
}): RevocationFeed {
  const { registry, realm } = parts
  const read = sharedReads(parts.source)

  return async function revocationFeed(ctx) {
    const client = await authenticateClient(registry, ctx.get('Authorization'))
    if (!client) {
      ctx.set('WWW-Authenticate', `Basic realm="${realm}"`)
      const description = 'send client_id and client_secret of a resource server by HTTP Basic'
      answerErrorAsJson(ctx, { status: 401, error: 'invalid_client', description })
      return
    }
    if (client.kind !== 'apiKey' || !client.resourceServer) {
      const description =
        'this is for API keys that are marked as resource servers (apiKeys.setResourceServer)'
      answerErrorAsJson(ctx, { status: 403, error: 'unauthorized_client', description })
      return
    }
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
  // Where there is more, nobody must go on at the same place.
  if (more) return
  const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`
  ctx.set('ETag', etag)
  if (isKnown(etag, ctx.get('If-None-Match'))) ctx.status = 304
}

/** Reads that begin at the same cursor within a moment are one. */
function sharedReads(source: RevocationSource): (cursor: string) => Promise<RevocationPage> {
  const shared = new Map<string, { readonly since: number; readonly page: Promise<RevocationPage> }>()

  return function read(cursor) {
    const now = performance.now()
    for (const [key, { since }] of shared) if (now - since > SHARED_FOR) shared.delete(key)
    const known = shared.get(cursor)
    if (known) return known.page
    const page = source.read(cursor === '' ? undefined : cursor)
    shared.set(cursor, { since: now, page })
    // One that failed is not passed on to those who come later.
    page.catch(() => shared.delete(cursor))
    return page
  }
}
