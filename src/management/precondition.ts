import type { Context } from 'koa'
import type { Client } from '../clients/client.ts'
import { etagOf } from '../clients/etag.ts'
import { ApiError } from './api-error.ts'

/**
 * Reads `If-Match` (RFC 9110 13.1.1).
 *
 * @returns a function that throws if the client is not one that the header names; undefined without the header
 */
export function preconditionOf(ctx: Context): ((record: { readonly client: Client }) => void) | undefined {
  const header = ctx.get('If-Match')
  if (header === '' || header.trim() === '*') return undefined
  const tags = header.split(',').map((tag) => tag.trim())
  return ({ client }) => {
    if (tags.includes(etagOf(client))) return
    throw new ApiError('ERR_CHANGED', 'the resource was changed since it was read: read it again')
  }
}
