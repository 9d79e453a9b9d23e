import { bodyParser } from '@koa/bodyparser'
import type { Context } from 'koa'
import { Rejection } from '../front-door/rejection.ts'

/** Maximum size of a body. */
export const MAX_BODY_BYTES = 64 * 1024

const parse = bodyParser({
  enableTypes: ['json'],
  extendTypes: { json: ['application/json'] },
  parsedMethods: ['POST', 'PUT', 'PATCH', 'DELETE'],
  jsonLimit: MAX_BODY_BYTES,
  enableRawChecking: true,
  onError(error, ctx) {
    // Discards the rest of the body. Otherwise the next request on this connection would wait forever.
    ctx.req.resume()
    throw new Rejection((error as { status?: unknown }).status === 413 ? 'bodyTooLarge' : 'body')
  },
})

/**
 * Rejects a body that is not JSON, before anything else is done. A form of another site can only send the
 * types of forms, so this also rejects such forms.
 *
 * @throws {Rejection} `mediaType`, `bodyTooLarge`
 */
export function requireJson(ctx: Context): void {
  const hasBody = (ctx.request.length ?? 0) > 0 || ctx.get('Transfer-Encoding') !== ''
  const { type } = ctx.request
  if (type === '' ? hasBody : type !== 'application/json') throw new Rejection('mediaType')
  if ((ctx.request.length ?? 0) > MAX_BODY_BYTES) throw new Rejection('bodyTooLarge')
}

/**
 * The JSON body of a request; an empty object if there is no body. If a parser of the host has read the body
 * before, its result is used.
 *
 * @throws {Rejection} `body`, `bodyTooLarge`
 */
export async function readBody(ctx: Context): Promise<unknown> {
  await parse(ctx, async () => {})
  const { body, rawBody } = ctx.request as { body?: unknown; rawBody?: unknown }
  if (typeof rawBody === 'string' && Buffer.byteLength(rawBody) > MAX_BODY_BYTES)
    throw new Rejection('bodyTooLarge')
  return body ?? {}
}
