import { subjectOf, type Person } from '../host/subject.ts'
import { mergeConsent, type StoredConsent, type ConsentDecision } from './consent-policy.ts'
import { createCollection } from '../store/collection.ts'
import type { Store } from '../store/contract.ts'
import { digest } from '../store/digest.ts'
import { isText, listOf, mapOf, optional } from '../validation/shape.ts'
import { isOfVersions, type ConsentVersions, type ConsentVersionStore } from './consent-version.ts'

/** What persons decided about applications, over all authorizations: one record per subject and application. */
export interface ConsentStore {
  /** Nothing granted and nothing refused if there was no decision yet, or all was withdrawn since. */
  find(person: Person, clientId: string): Promise<StoredConsent>
  /** The same, with the epochs that what comes of it belongs to. */
  recall(person: Person, clientId: string): Promise<Recalled>
  /**
   * Adds a decision to what is remembered; of concurrent ones none is lost.
   *
   * @param epochs that were in force before the decision was acted upon
   */
  remember(
    person: Person,
    clientId: string,
    decision: ConsentDecision,
    epochs: ConsentVersions,
  ): Promise<void>
  /** Forgets what was decided: whoever asks again gets nothing without the person. */
  forget(person: Person, clientId: string): Promise<void>
}

/** What is remembered, and the epochs that are in force. */
export interface Recalled {
  readonly remembered: StoredConsent
  readonly epochs: ConsentVersions
}

interface ConsentRecord extends StoredConsent {
  /** None in those of older versions. */
  readonly epochs?: ConsentVersions | undefined
}

/** @param ttl seconds for which a decision is remembered after the last one */
export function createConsentStore(
  store: Store,
  ttl: number,
  consentVersions: ConsentVersionStore,
): ConsentStore {
  const consents = createCollection<ConsentRecord>(store, {
    name: 'consent',
    version: 1,
    fields: { granted: listOf(isText), refused: listOf(isText), epochs: optional(mapOf(isText)) },
  })
  const nothing: StoredConsent = { granted: [], refused: [] }
  const id = (person: Person, clientId: string) => digest(JSON.stringify([subjectOf(person), clientId]))

  /** What still counts of a record. */
  function countingOf(record: ConsentRecord | undefined, epochs: ConsentVersions): StoredConsent {
    if (!record || !isOfVersions(record.epochs, epochs)) return nothing
    return { granted: record.granted, refused: record.refused }
  }

  async function recall(person: Person, clientId: string): Promise<Recalled> {
    // In either order: a decision counts only in the epochs that it was made in.
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
