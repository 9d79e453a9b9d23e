import { clientsAtHost, clientsInStore } from '../clients/create-clients.ts'
import { createLastUsed } from '../clients/last-used.ts'
import type { Base } from './wire-core.ts'

/** Wires API keys and applications, which are in the store or managed by the host. */
export function createClients(base: Base) {
  const { settings, store, durable, events, logger, catalog, revocations, revoked } = base
  const usage = createLastUsed({ store, logger })
  const parts = { store: durable, events, revocations }
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
        known: revoked,
      })
  return { ...clients, usage }
}
