import { createCollection } from '../store/collection.ts'
import type { Store } from '../store/contract.ts'
import { digest } from '../store/digest.ts'

/** What an account decided about an application, over all its authorizations. */
export interface RememberedConsent {
  readonly granted: readonly string[]
  readonly refused: readonly string[]
}

/** Remembered decisions, one record per account and application. */
export interface RememberedConsents {
  /** Nothing granted and nothing refused if there was no decision yet. */
  find(accountId: string, clientId: string): Promise<RememberedConsent>
  /** Replaces what is remembered by `change` of it; concurrent decisions lose nothing. */
  update(
    accountId: string,
    clientId: string,
    change: (remembered: RememberedConsent) => RememberedConsent,
  ): Promise<void>
}

/** @param ttl seconds for which a decision is remembered after the last one */
export function createRememberedConsents(store: Store, ttl: number): RememberedConsents {
  const consents = createCollection<RememberedConsent>(store, { name: 'consent', version: 1 })
  const nothing: RememberedConsent = { granted: [], refused: [] }
  // Account ids are the host's: of any length and alphabet.
  const id = (accountId: string, clientId: string) => digest(JSON.stringify([accountId, clientId]))

  return {
    async find(accountId, clientId) {
      return (await consents.get(id(accountId, clientId))) ?? nothing
    },
    async update(accountId, clientId, change) {
      const key = id(accountId, clientId)
      if (await consents.update(key, change, ttl)) return
      if (await consents.create(key, change(nothing), ttl)) return
      await consents.update(key, change, ttl)
    },
  }
}
