import { GatehouseError } from '../errors.ts'
import type { ChangeOptions } from '../host/change-options.ts'
import { digest } from '../store/digest.ts'
import type { Client } from './client.ts'

/** The ETag of a client (RFC 9110 8.8.3). A use of the client and a change of its secrets keep it. */
export function etagOf(client: Client): string {
  const { lastUsedAt: _, noSecret: __, secretShownTo: ___, secretHint: ____, ...stored } = client
  // A field that was just removed is undefined here, and absent in the store. Both must have the same ETag.
  const fields = Object.entries(stored).filter(([, value]) => value !== undefined)
  return `"${digest(JSON.stringify(fields.toSorted(([a], [b]) => (a < b ? -1 : 1)))).slice(0, 27)}"`
}

/** The header `If-Match` (RFC 9110 13.1.1); undefined if the change does not depend on a version. */
export function etagsOf(header: string): string[] | undefined {
  if (header === '' || header.trim() === '*') return undefined
  return header.split(',').map((tag) => tag.trim())
}

/** ETags, of which the stored client must have one. The package does not export the symbol, so no host can set it. */
export const IF_MATCH = Symbol('if match')

export interface ConditionalChange extends ChangeOptions {
  readonly [IF_MATCH]?: readonly string[] | undefined
}

/** The change is also rejected if the client was changed since it was read: a caller could guess the next ETag. */
export function ifUnchanged(options: ConditionalChange, client: Client): ConditionalChange {
  const { [IF_MATCH]: sent = [etagOf(client)] } = options
  return { ...options, [IF_MATCH]: sent.filter((tag) => tag === etagOf(client)) }
}

/** @throws {GatehouseError} `ERR_CHANGED` */
export function requireMatch(options: ConditionalChange | undefined, client: Client): void {
  const tags = options?.[IF_MATCH]
  if (!tags || tags.includes(etagOf(client))) return
  throw new GatehouseError('ERR_CHANGED', 'the client has changed: read it again, and repeat the request')
}
