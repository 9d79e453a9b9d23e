import { memoryStore } from '../../adapters/memory.ts'
import { storedClients } from '../../src/clients/client-record.ts'
import { createClientRegistry, type ClientRegistry } from '../../src/clients/client-registry.ts'
import type { ApiKey } from '../../src/clients/client.ts'
import type { StoredSecret } from '../../src/clients/stored-secrets.ts'

/** A registry with one API key that has certain secrets. */
export async function registryOf(
  key: Partial<ApiKey>,
  secrets: readonly StoredSecret[],
): Promise<ClientRegistry> {
  const store = memoryStore()
  const client: ApiKey = {
    kind: 'apiKey',
    clientId: 'key_1',
    accountId: 'acme',
    name: 'Key',
    products: [],
    removedOperations: [],
    disabled: false,
    epoch: 0,
    createdAt: 1,
    resourceServer: false,
    ...key,
  }
  await storedClients<ApiKey>(store).create(client.clientId, { client, secrets, listedAt: 1 })
  return createClientRegistry(store)
}
