import { subjectOf, type Person } from '../host/subject.ts'
import { mergeConsent, type StoredConsent, type ConsentDecision } from './consent-policy.ts'
import { createCollection } from '../store/collection.ts'
import type { Store } from '../store/contract.ts'
import { digest } from '../store/digest.ts'
import { listOf, mapOf, optional, stringRule } from '../validation/rules.ts'
import { isOfVersions, type ConsentVersions, type ConsentVersionStore } from './consent-version.ts'

/**
 * The decisions of people about applications, over all authorizations: one record per subject and
 * application.
 */
export interface ConsentStore {
  /** Empty lists if there was no decision yet, or if all was revoked since. */
  find(person: Person, clientId: string): Promise<StoredConsent>
  /** The same, with the present consent versions. */
  recall(person: Person, clientId: string): Promise<Recalled>
  /**
   * Merges a decision into the stored consent. No concurrent decision is lost.
   *
   * @param epochs consent versions that were in force before the decision was acted upon
   */
  remember(
    person: Person,
    clientId: string,
    decision: ConsentDecision,
    epochs: ConsentVersions,
  ): Promise<void>
  /** Deletes the stored decisions. The next request gets nothing without asking the person. */
  forget(person: Person, clientId: string): Promise<void>
}

/** The stored consent, and the consent versions that are in force. */
export interface Recalled {
  readonly remembered: StoredConsent
  readonly epochs: ConsentVersions
}

interface ConsentRecord extends StoredConsent {
  /** Absent in records of older versions. */
  readonly epochs?: ConsentVersions | undefined
}

/** @param ttl seconds for which consent is stored after the last decision */
export function createConsentStore(
  store: Store,
  ttl: number,
  consentVersions: ConsentVersionStore,
): ConsentStore {
  const consents = createCollection<ConsentRecord>(store, {
    name: 'consent',
    version: 1,
    fields: { granted: listOf(stringRule), denied: listOf(stringRule), epochs: optional(mapOf(stringRule)) },
  })
  const nothing: StoredConsent = { granted: [], denied: [] }
  const id = (person: Person, clientId: string) => digest(JSON.stringify([subjectOf(person), clientId]))

  /** The part of a record that is still valid. */
  function countingOf(record: ConsentRecord | undefined, epochs: ConsentVersions): StoredConsent {
    if (!record || !isOfVersions(record.epochs, epochs)) return nothing
    return { granted: record.granted, denied: record.denied }
  }

  async function recall(person: Person, clientId: string): Promise<Recalled> {
    // In either order: a decision is valid only in the consent versions in which it was made.
    const [record, epochs] = await Promise.all([
      consents.get(id(person, clientId)),
      consentVersions.current(person, clientId),
    ])
    return { remembered: countingOf(record, epochs), epochs }
  }

  return {
    recall,
    find: async (person, clientId) => (await recall(person, clientId)).remembered,
    async remember(person, clientId, decision, epochs) {
      const key = id(person, clientId)
      const change = (record?: ConsentRecord): ConsentRecord => ({
        ...mergeConsent(countingOf(record, epochs), decision),
        epochs,
      })
      if (await consents.update(key, change, ttl)) return
      if (await consents.create(key, change(), ttl)) return
      await consents.update(key, change, ttl)
    },
    async forget(person, clientId) {
      await consents.delete(id(person, clientId))
    },
  }
}
