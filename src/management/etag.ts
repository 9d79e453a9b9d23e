import type { Context } from 'koa'
import type { Client } from '../clients/client.ts'
import { digest } from '../store/digest.ts'
import { ApiError } from './api-error.ts'

/**
 * The ETag of a client (RFC 9110 8.8.3). It changes with every change of the client, and stays the same when
 * only `lastUsedAt` changes.
 */
export function etagOf(client: Client): string {
  const { lastUsedAt: _, ...stored } = client
  // A field that was just removed is undefined. In the store it is absent.
  const fields = Object.entries(stored).filter(([, value]) => value !== undefined)
  return `"${digest(JSON.stringify(fields.toSorted(([a], [b]) => (a < b ? -1 : 1)))).slice(0, 27)}"`
}

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
