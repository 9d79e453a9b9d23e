import type { Store } from '../store/contract.ts'
import type { ClientRegistry } from './client-registry.ts'
import type { Client } from './client.ts'
import { isClientId } from './client-id.ts'
import { clientRecords } from './client-record.ts'
import type { StoredSecret } from './secrets.ts'
import { matchesSecret } from './verify-secret.ts'

/**
 * The hashes are stored under a symbol. They pass with the client from `find` to `verifySecret`, and into no JSON or
 * log.
 */
const SECRETS = Symbol('secrets')

/** A client that carries the hashes of its secrets. */
export type StoredClient = Client & { readonly [SECRETS]?: readonly StoredSecret[] | undefined }

/** The default registry: API keys and applications in the store. */
export type StoreRegistry = ClientRegistry<StoredClient>

export function createStoreRegistry({ store }: { store: Store }): StoreRegistry {
  const records = clientRecords(store)
  return {
    // One read of the store. Omits `lastUsedAt`, which no token needs.
    async find(clientId) {
      // An invalid id comes from outside, and needs no database query.
      if (!isClientId(clientId)) return undefined
      const record = await records.get(clientId)
      return record && { ...record.client, [SECRETS]: record.secrets }
    },
    verifySecret: verifyStoredSecret,
  }
}

/** Without I/O; false for a client that the store registry did not return. */
export async function verifyStoredSecret(client: StoredClient, secret: string): Promise<boolean> {
  return matchesSecret(client[SECRETS] ?? [], secret, Date.now())
}
