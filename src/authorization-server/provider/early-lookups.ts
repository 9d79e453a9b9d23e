import type { ClientRegistry, StoredClient } from '../../clients/client-registry.ts'
import type { Account } from '../../host/accounts.ts'

/**
 * The lookups that the fast path for direct access has made for one request. If the fast path passes the
 * request on, oidc-provider gets the same results. So each request looks up its client and account once, and waits
 * once for a store that does not answer.
 */
export interface EarlyLookups {
  /** The registry, with the results of this request. A failed lookup fails again with the same error. */
  readonly registry: ClientRegistry
  readonly accounts: KnownAccounts
}

/** The accounts that one request has looked up. */
export type KnownAccounts = Map<string, Promise<Account | undefined>>

/** Starts the lookups of one request. */
export function startLookups(registry: ClientRegistry): EarlyLookups {
  const clients = new Map<string, Promise<StoredClient | undefined>>()
  return {
    registry: {
      find(clientId) {
        const client = clients.get(clientId) ?? registry.find(clientId)
        clients.set(clientId, client)
        return client
      },
    },
    accounts: new Map(),
  }
}
