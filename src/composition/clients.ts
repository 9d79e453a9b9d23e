import { clientsAtHost, clientsInStore } from '../registry/kept-clients.ts'
import { createUsage } from '../registry/usage.ts'
import type { Base } from './base.ts'

/** API keys and applications, in the store or at the host. */
export function createClients({ settings, store, events, logger, catalog, revocations, revoked }: Base) {
  const usage = createUsage({ store, logger })
  const parts = { store, events, revocations }
  const { registry, maxScopeBytes, openIdScopes } = settings
  const clients = registry
    ? clientsAtHost(registry, parts)
    : clientsInStore({
        ...parts,
        catalog,
        usage,
        logger,
        maxScopeBytes,
        oidcScopes: openIdScopes,
        lowestEpoch: revoked.lowestEpoch,
      })
  return { ...clients, usage }
}
