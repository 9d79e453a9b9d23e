import type { Client } from '../clients/client.ts'
import { clientsAtHost, clientsInStore } from '../clients/create-clients.ts'
import { createLastUses } from '../clients/last-used.ts'
import type { Core } from './wire-core.ts'

/** API keys and applications. */
export type Clients = ReturnType<typeof createClients>

/**
 * Wires API keys and applications. If the option `registry` is set, the host manages them. Otherwise the
 * store keeps them.
 */
export function createClients(core: Core) {
  const { settings, store, durable, events, logger, catalog, revocations, revoked, audit } = core
  const { registry, maxClientsPerAccount, openIdScopes: oidcScopes } = settings
  const lastUses = createLastUses({ store, logger })
  const parts = {
    store: durable,
    events,
    revocations,
    audit,
    catalog,
    lastUses,
    logger,
    maxClientsPerAccount,
    oidcScopes,
  }
  const clients = registry ? clientsAtHost(parts, registry) : clientsInStore(parts, revoked)
  return { ...clients, clientUsed: (client: Client) => lastUses.record(client.clientId) }
}
