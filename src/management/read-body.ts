import { bodyParser } from '@koa/bodyparser'
import type { Context } from 'koa'
import { ApiError } from './api-error.ts'

/** Maximum size of a body. */
const MAX_BODY_BYTES = 64 * 1024

const parse = bodyParser({
  enableTypes: ['json'],
  extendTypes: { json: ['application/json'] },
  parsedMethods: ['POST', 'PUT', 'PATCH', 'DELETE'],
  jsonLimit: MAX_BODY_BYTES,
  enableRawChecking: true,
  onError(error, ctx) {
    // Discards the rest of the body. Otherwise the next request on this connection would wait forever.
    ctx.req.resume()
    throw (error as { status?: unknown }).status === 413 ? tooLarge() : notJson()
  },
})

/**
 * Rejects a body that is not JSON, before anything else is done. A form of another site can only send the
 * types of forms, so this also rejects such forms.
 *
 * @throws {ApiError} `ERR_MEDIA_TYPE`, `ERR_BODY_TOO_LARGE`
 */
export function requireJson(ctx: Context): void {
  const hasBody = (ctx.request.length ?? 0) > 0 || ctx.get('Transfer-Encoding') !== ''
  const { type } = ctx.request
  if (type === '' ? hasBody : type !== 'application/json') {
    throw new ApiError('ERR_MEDIA_TYPE', 'send JSON with Content-Type: application/json')
  }
  if ((ctx.request.length ?? 0) > MAX_BODY_BYTES) throw tooLarge()
}

/**
 * The JSON body of a request; an empty object if there is no body. If a parser of the host has read the body
 * before, its result is used.
 *
 * @throws {ApiError} `ERR_BODY`, `ERR_BODY_TOO_LARGE`
 */
export async function readBody(ctx: Context): Promise<unknown> {
  await parse(ctx, async () => {})
  const { body, rawBody } = ctx.request as { body?: unknown; rawBody?: unknown }
  if (typeof rawBody === 'string' && Buffer.byteLength(rawBody) > MAX_BODY_BYTES) throw tooLarge()
  return body ?? {}
}

function tooLarge(): ApiError {
  return new ApiError('ERR_BODY_TOO_LARGE', `a body may have at most ${MAX_BODY_BYTES} bytes`, {
    headers: { Connection: 'close' },
  })
}

function notJson(): ApiError {
  return new ApiError('ERR_BODY', 'the body is not JSON, or is not an object')
}
