import type { Store } from '../store/contract.ts'
import type { ClientRegistry } from './client-registry.ts'
import type { Client } from './client.ts'
import { isClientId } from './client-id.ts'
import { clientRecords } from './client-record.ts'
import type { StoredSecret } from './secrets.ts'
import { matchesSecret } from './verify-secret.ts'

/**
 * The property of a client that holds the hashes of its secrets. It is a symbol, so the hashes never get into
 * JSON. `find` sets the property, and `verifySecret` reads it.
 */
const SECRETS = Symbol('secrets')

/** A client that carries the hashes of its secrets. */
export type StoredClient = Client & { readonly [SECRETS]?: readonly StoredSecret[] | undefined }

/** The default registry: API keys and applications in the store. */
export type StoreRegistry = ClientRegistry<StoredClient>

export function createStoreRegistry({ store }: { store: Store }): StoreRegistry {
  const records = clientRecords(store)
  return {
    // Reads the store once. The result has no `lastUsedAt`, because no token needs it.
    async find(clientId) {
      // Requests may contain any text as a client id. An invalid id needs no database query.
      if (!isClientId(clientId)) return undefined
      const record = await records.get(clientId)
      return record && { ...record.client, [SECRETS]: record.secrets }
    },
    verifySecret: verifyStoredSecret,
  }
}

/**
 * Whether `secret` is a live secret of the client. Does no I/O. Returns false for a client that the store
 * registry did not return.
 */
export async function verifyStoredSecret(client: StoredClient, secret: string): Promise<boolean> {
  return matchesSecret(client[SECRETS] ?? [], secret, Date.now())
}
