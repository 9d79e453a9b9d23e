import { clientsAtHost, clientsInStore } from '../clients/create-clients.ts'
import { createLastUses } from '../clients/last-used.ts'
import type { Base } from './wire-core.ts'

/** Wires API keys and applications, which are in the store or managed by the host. */
export function createClients(base: Base) {
  const { settings, store, durable, events, logger, catalog, revocations, revoked } = base
  const { registry, maxScopeBytes, openIdScopes: oidcScopes } = settings
  const lastUses = createLastUses({ store, logger })
  const parts = { store: durable, events, revocations, catalog, lastUses, logger, maxScopeBytes, oidcScopes }
  const clients = registry ? clientsAtHost(parts, registry) : clientsInStore(parts, revoked)
  return { ...clients, lastUses }
}
