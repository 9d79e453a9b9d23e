import type { Store } from '../store/contract.ts'
import { createApiKeys, type ApiKeys } from './api-keys.ts'
import { createApplications, type Applications } from './applications.ts'
import { createClientCache } from './client-cache.ts'
import { createHostRegistry, type HostRegistry } from './host-registry.ts'
import type { Registry } from './client.ts'
import { createClientTokens, type ClientTokens } from './revoke-client-tokens.ts'
import type { ClientsDependencies } from './client-repository.ts'
import { createHostEpochs, withEpochOffsets } from './host-epochs.ts'
import { createHostClientTokens } from './revoke-host-client-tokens.ts'
import { withRepairedEpochs, type KnownOfClients } from './repair-epochs.ts'
import { createReadOnlyServices } from './read-only-services.ts'
import { createStoreRegistry } from './store-registry.ts'

/** API keys and applications, with everything that other parts of the library do with them. */
export interface KeptClients {
  readonly registry: HostRegistry
  readonly apiKeys: ApiKeys
  readonly applications: Applications
  readonly clientTokens: ClientTokens
  /**
   * Subscribes to the changes of other processes, so that this process may cache clients.
   *
   * @returns a function that ends the subscription
   * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`
   */
  follow(): Promise<() => Promise<void>>
}

/**
 * Clients in the store. The process caches clients when it issues or verifies tokens; the services always read the
 * store.
 *
 * @param parts.known see `withRepairedEpochs`
 */
export function clientsInStore(
  parts: Omit<ClientsDependencies, 'clientChanged'> & {
    readonly oidcScopes: readonly string[]
    readonly known: KnownOfClients
  },
): KeptClients {
  const cached = createClientCache({ ...parts, registry: createStoreRegistry(parts) })
  const dependencies = { ...parts, clientChanged: cached.changed }
  return {
    registry: withRepairedEpochs(cached, parts),
    apiKeys: createApiKeys(dependencies),
    applications: createApplications(dependencies),
    clientTokens: createClientTokens(dependencies),
    follow: cached.follow,
  }
}

/** Clients in the host's tables, which are queried on every request, because changes there cannot be observed. */
export function clientsAtHost(
  hostRegistry: Registry,
  { store, ...others }: Pick<ClientsDependencies, 'events' | 'revocations'> & { readonly store: Store },
): KeptClients {
  const checked = createHostRegistry(hostRegistry)
  const offsets = createHostEpochs(store)
  const registry = withEpochOffsets(checked, offsets)
  const clientTokens = createHostClientTokens({ ...others, registry, offsets, list: checked.list })
  return {
    registry,
    ...createReadOnlyServices(clientTokens),
    clientTokens,
    follow: async () => async () => {},
  }
}
