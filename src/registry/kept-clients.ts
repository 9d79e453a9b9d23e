import type { Store } from '../store/contract.ts'
import { createApiKeys, type ApiKeys } from './api-keys.ts'
import { createApplications, type Applications } from './applications.ts'
import { createCachedClients } from './cached-clients.ts'
import { createCheckedRegistry, type CheckedRegistry } from './checked-registry.ts'
import type { Registry } from './client.ts'
import type { ClientChanged } from './client-record.ts'
import { createClientTokens, type ClientTokens } from './client-tokens.ts'
import type { ClientsDependencies } from './clients.ts'
import { createEpochOffsets, withEpochOffsets } from './epoch-offsets.ts'
import { createHostClientTokens } from './host-client-tokens.ts'
import { withLostEpochs, type KnownOfClients } from './lost-epochs.ts'
import { createReadOnlyServices } from './read-only.ts'
import { createStoreRegistry } from './store-registry.ts'

/** API keys and applications, in all that the other parts do with them. */
export interface KeptClients {
  readonly registry: CheckedRegistry
  readonly apiKeys: ApiKeys
  readonly applications: Applications
  readonly clientTokens: ClientTokens
  /** To be told of each change that is made by others than these. */
  readonly clientChanged: ClientChanged
  /**
   * Begins to hear of what other processes change, so that this one may remember clients.
   *
   * @returns a function that ends it
   * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`
   */
  follow(): Promise<() => Promise<void>>
}

/**
 * Clients in the store. The process remembers those that it looks up to issue and to check tokens; the services read
 * the store.
 *
 * @param parts.known see `withLostEpochs`
 */
export function clientsInStore(
  parts: Omit<ClientsDependencies, 'clientChanged'> & {
    readonly oidcScopes: readonly string[]
    readonly known: KnownOfClients
  },
): KeptClients {
  const cached = createCachedClients({ ...parts, registry: createStoreRegistry(parts) })
  const dependencies = { ...parts, clientChanged: cached.changed }
  return {
    registry: withLostEpochs(cached, parts),
    apiKeys: createApiKeys(dependencies),
    applications: createApplications(dependencies),
    clientTokens: createClientTokens(dependencies),
    clientChanged: cached.changed,
    follow: cached.follow,
  }
}

/** Clients in tables of the host's, which are asked each time: nobody tells us of a change there. */
export function clientsAtHost(
  hostRegistry: Registry,
  { store, ...others }: Pick<ClientsDependencies, 'events' | 'revocations'> & { readonly store: Store },
): KeptClients {
  const checked = createCheckedRegistry(hostRegistry)
  const offsets = createEpochOffsets(store)
  const registry = withEpochOffsets(checked, offsets)
  const clientTokens = createHostClientTokens({ ...others, registry, offsets, list: checked.list })
  return {
    registry,
    ...createReadOnlyServices(clientTokens),
    clientTokens,
    clientChanged: async () => {},
    follow: async () => async () => {},
  }
}
