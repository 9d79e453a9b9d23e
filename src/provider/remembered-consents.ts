import { subjectOf, type Person } from '../host/subject.ts'
import { mergeRemembered, type RememberedConsent } from '../interaction/consent.ts'
import type { ConsentDecision } from '../interaction/port.ts'
import { createCollection } from '../store/collection.ts'
import type { Store } from '../store/contract.ts'
import { digest } from '../store/digest.ts'
import { isText, listOf, mapOf, optional } from '../store/shape.ts'
import {
  isOfEpoch,
  type AuthorizationEpochs,
  type EpochRecords,
} from '../tokens/grants/authorization-epochs.ts'

/** What persons decided about applications, over all authorizations: one record per subject and application. */
export interface RememberedConsents {
  /** Nothing granted and nothing refused if there was no decision yet, or all was withdrawn since. */
  find(person: Person, clientId: string): Promise<RememberedConsent>
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
    epochs: AuthorizationEpochs,
  ): Promise<void>
  /** Forgets what was decided: whoever asks again gets nothing without the person. */
  forget(person: Person, clientId: string): Promise<void>
}

/** What is remembered, and the epochs that are in force. */
export interface Recalled {
  readonly remembered: RememberedConsent
  readonly epochs: AuthorizationEpochs
}

interface ConsentRecord extends RememberedConsent {
  /** None in those of older versions. */
  readonly epochs?: AuthorizationEpochs | undefined
}

/** @param ttl seconds for which a decision is remembered after the last one */
export function createRememberedConsents(
  store: Store,
  ttl: number,
  epochRecords: EpochRecords,
): RememberedConsents {
  const consents = createCollection<ConsentRecord>(store, {
    name: 'consent',
    version: 1,
    fields: { granted: listOf(isText), refused: listOf(isText), epochs: optional(mapOf(isText)) },
  })
  const nothing: RememberedConsent = { granted: [], refused: [] }
  const id = (person: Person, clientId: string) => digest(JSON.stringify([subjectOf(person), clientId]))

  /** What still counts of a record. */
  function countingOf(record: ConsentRecord | undefined, epochs: AuthorizationEpochs): RememberedConsent {
    if (!record || !isOfEpoch(record.epochs, epochs)) return nothing
    return { granted: record.granted, refused: record.refused }
  }

  async function recall(person: Person, clientId: string): Promise<Recalled> {
    // In either order: a decision counts only in the epochs that it was made in.
    const [record, epochs] = await Promise.all([
      consents.get(id(person, clientId)),
      epochRecords.current(person, clientId),
    ])
    return { remembered: countingOf(record, epochs), epochs }
  }

  return {
    recall,
    find: async (person, clientId) => (await recall(person, clientId)).remembered,
    async remember(person, clientId, decision, epochs) {
      const key = id(person, clientId)
      const change = (record?: ConsentRecord): ConsentRecord => ({
        ...mergeRemembered(countingOf(record, epochs), decision),
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
