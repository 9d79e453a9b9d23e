import { createApiKeys, type ApiKeys } from './api-keys.ts'
import { createApplications, type Applications } from './applications.ts'
import { createClientCache } from './client-cache.ts'
import type { ClientRegistry } from './client-registry.ts'
import { createHostRegistry } from './host-registry.ts'
import type { Registry } from './client.ts'
import { createClientTokens, type ClientTokens } from './revoke-client-tokens.ts'
import type { ClientsDependencies } from './client-repository.ts'
import { createHostEpochs, withEpochOffsets } from './host-epochs.ts'
import { createHostClientTokens } from './revoke-host-client-tokens.ts'
import { withRepairedEpochs, type KnownOfClients } from './repair-epochs.ts'
import { createReadOnlyServices } from './read-only-services.ts'
import { createStoreRegistry } from './store-registry.ts'

/** The API keys and applications, with everything that other parts of the library need to use them. */
export interface Clients {
  readonly registry: ClientRegistry
  readonly apiKeys: ApiKeys
  readonly applications: Applications
  readonly clientTokens: ClientTokens
  /**
   * Subscribes to the changes that other processes make, so that this process may cache clients.
   *
   * @returns a function that ends the subscription
   * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`
   */
  follow(): Promise<() => Promise<void>>
}

/** What `clientsInStore` and `clientsAtHost` need. */
type ClientsParts = Omit<ClientsDependencies, 'clientChanged'> & { readonly oidcScopes: readonly string[] }

/**
 * Clients in the store. Token requests and introspection read them through a cache in this process. The
 * services of API keys and applications always read the store.
 *
 * @param known the revocations of clients that this process has in memory; see `withRepairedEpochs`
 */
export function clientsInStore(parts: ClientsParts, known: KnownOfClients): Clients {
  const { store } = parts
  const cache = createClientCache({ ...parts, registry: createStoreRegistry({ store }) })
  const dependencies = { ...parts, clientChanged: cache.changed }
  return {
    registry: withRepairedEpochs(cache, { store, known }),
    apiKeys: createApiKeys(dependencies),
    applications: createApplications(dependencies),
    clientTokens: createClientTokens(dependencies),
    follow: cache.follow,
  }
}

/**
 * Clients in the host's tables. Every request queries these tables, because this library is not notified of
 * changes in them.
 */
export function clientsAtHost(parts: ClientsParts, registryOption: Registry): Clients {
  const hostRegistry = createHostRegistry(registryOption)
  const epochs = createHostEpochs(parts.store)
  const registry = withEpochOffsets(hostRegistry, epochs)
  const clientTokens = createHostClientTokens({ ...parts, registry, epochs, list: hostRegistry.list })
  const dependencies = { ...parts, clientChanged: async () => {} }
  const services = { apiKeys: createApiKeys(dependencies), applications: createApplications(dependencies) }
  return {
    registry,
    ...createReadOnlyServices(services, clientTokens),
    clientTokens,
    follow: async () => async () => {},
  }
}
