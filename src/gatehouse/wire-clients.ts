import { clientsAtHost, clientsInStore } from '../clients/create-clients.ts'
import { createLastUsed } from '../clients/last-used.ts'
import type { Base } from './wire-core.ts'

const NO_TOKEN = { tokenId: '', keyId: '', scopes: [] }

/** API keys and applications, in the store or at the host. */
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
        known: {
          lowestEpoch: revoked.lowestEpoch,
          // No token of one that exists has an epoch as high as this.
          isGone: (clientId) =>
            revoked.isRevoked({ ...NO_TOKEN, clientId, claims: { access_epoch: Number.MAX_SAFE_INTEGER } }),
        },
      })
  return { ...clients, usage }
}
