import type { Store } from '../store/contract.ts'
import { createApiKeys, type ApiKeys } from './api-keys.ts'
import { createApplications, type Applications } from './applications.ts'
import { createCheckedRegistry, type CheckedRegistry } from './checked-registry.ts'
import type { Registry } from './client.ts'
import { createClientTokens, type ClientTokens } from './client-tokens.ts'
import type { ClientsDependencies } from './clients.ts'
import { createEpochOffsets, withEpochOffsets } from './epoch-offsets.ts'
import { createHostClientTokens } from './host-client-tokens.ts'
import { withLostEpochs } from './lost-epochs.ts'
import { createReadOnlyServices } from './read-only.ts'
import { createStoreRegistry } from './store-registry.ts'

/** API keys and applications, in all that the other parts do with them. */
export interface KeptClients {
  readonly registry: CheckedRegistry
  readonly apiKeys: ApiKeys
  readonly applications: Applications
  readonly clientTokens: ClientTokens
}

/** Clients in the store. @param dependencies.lowestEpoch see `withLostEpochs` */
export function clientsInStore(
  dependencies: ClientsDependencies & {
    readonly oidcScopes: readonly string[]
    readonly lowestEpoch: (clientId: string) => number
  },
): KeptClients {
  return {
    registry: withLostEpochs(createStoreRegistry(dependencies), dependencies),
    apiKeys: createApiKeys(dependencies),
    applications: createApplications(dependencies),
    clientTokens: createClientTokens(dependencies),
  }
}

/** Clients in tables of the host's. */
export function clientsAtHost(
  hostRegistry: Registry,
  { store, ...others }: Pick<ClientsDependencies, 'events' | 'revocations'> & { readonly store: Store },
): KeptClients {
  const checked = createCheckedRegistry(hostRegistry)
  const offsets = createEpochOffsets(store)
  const registry = withEpochOffsets(checked, offsets)
  return {
    registry,
    ...createReadOnlyServices(),
    clientTokens: createHostClientTokens({ ...others, registry, offsets, list: checked.list }),
  }
}
