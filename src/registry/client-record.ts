import { createCollection, type Collection } from '../store/collection.ts'
import type { Store } from '../store/contract.ts'
import type { Client } from './client.ts'
import type { StoredSecret } from './secrets.ts'

/**
 * An API key or application as it is stored. What the public may see stands apart from what it may not, so
 * that no forgotten field lets a hash out.
 */
export interface ClientRecord<C extends Client = Client> {
  /** Without `lastUsedAt`, which is kept on its own. */
  readonly client: C
  /** Newest first. */
  readonly secrets: readonly StoredSecret[]
  /**
   * Its place in lists: when it was created, in milliseconds since the epoch, or a few later where others
   * were created in the same one.
   */
  readonly listedAt: number
}

/** All clients by client id: one collection, so that a client id is unique and one read finds it. */
export function clientRecords<C extends Client>(store: Store): Collection<ClientRecord<C>> {
  return createCollection<ClientRecord<C>>(store, { name: 'client', version: 1 })
}
