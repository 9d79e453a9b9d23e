import { digest } from '../store/digest.ts'
import type { Client } from './client.ts'

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
