import { mergeRemembered, type RememberedConsent } from '../interaction/consent.ts'
import type { ConsentDecision } from '../interaction/port.ts'
import { createCollection } from '../store/collection.ts'
import type { Store } from '../store/contract.ts'
import { digest } from '../store/digest.ts'

/** What accounts decided about applications, over all authorizations: one record per account and application. */
export interface RememberedConsents {
  /** Nothing granted and nothing refused if there was no decision yet. */
  find(accountId: string, clientId: string): Promise<RememberedConsent>
  /** Adds a decision to what is remembered; of concurrent ones none is lost. */
  remember(accountId: string, clientId: string, decision: ConsentDecision): Promise<void>
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
    async remember(accountId, clientId, decision) {
      const key = id(accountId, clientId)
      const change = (remembered: RememberedConsent) => mergeRemembered(remembered, decision)
      if (await consents.update(key, change, ttl)) return
      if (await consents.create(key, change(nothing), ttl)) return
      await consents.update(key, change, ttl)
    },
  }
}
