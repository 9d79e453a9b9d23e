import type { Client } from '../../clients/client.ts'
import type { ClientRegistry } from '../../clients/client-registry.ts'
import type { Account } from '../../host/accounts.ts'

/**
 * The lookups that the fast path for direct access has made for one request. If the fast path passes the
 * request on, oidc-provider gets the same results. So each request looks up its client, secret and account
 * once. A wrong secret therefore takes as long as without the fast path, and a store that does not answer is
 * waited for once.
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
  const clients = new Map<string, Promise<Client | undefined>>()
  const secrets = new Map<string, Promise<boolean>>()
  return {
    registry: {
      find: (clientId) => once(clients, clientId, () => registry.find(clientId)),
      verifySecret: (client, secret) =>
        once(secrets, JSON.stringify([client.clientId, secret]), () => registry.verifySecret(client, secret)),
    },
    accounts: new Map(),
  }
}

function once<T>(known: Map<string, Promise<T>>, key: string, lookUp: () => Promise<T>): Promise<T> {
  const result = known.get(key) ?? lookUp()
  known.set(key, result)
  return result
}
