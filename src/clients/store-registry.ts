import type { Store } from '../store/contract.ts'
import type { HostRegistry } from './host-registry.ts'
import type { Client } from './client.ts'
import { isClientId } from './client-id.ts'
import { clientRecords } from './client-record.ts'
import { matchesSecret, type StoredSecret } from './secrets.ts'

/**
 * The hashes are stored under a symbol. They pass with the client from `find` to `verifySecret`, and into no JSON or
 * log.
 */
const SECRETS = Symbol('secrets')

/** A client that carries the hashes of its secrets. */
export type StoredClient = Client & { readonly [SECRETS]?: readonly StoredSecret[] | undefined }

/** The default registry: API keys and applications in the store. */
export interface StoreRegistry extends HostRegistry<StoredClient> {
  /** One read of the store. Omits `lastUsedAt`, which no token needs. */
  find(clientId: string): Promise<StoredClient | undefined>
  /** Without I/O; false for a client that `find` did not return. */
  verifySecret(client: StoredClient, secret: string): Promise<boolean>
}

/** Creates the registry of the clients in the store. */
export function createStoreRegistry({ store }: { store: Store }): StoreRegistry {
  const records = clientRecords(store)
  return {
    async find(clientId) {
      // An invalid id comes from outside, and needs no database query.
      if (!isClientId(clientId)) return undefined
      const record = await records.get(clientId)
      return record && { ...record.client, [SECRETS]: record.secrets }
    },
    verifySecret: async (client, secret) => matchesSecret(client[SECRETS] ?? [], secret, Date.now()),
  }
}
