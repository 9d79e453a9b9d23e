import { subjectOf, type Person } from '../host/subject.ts'
import { mergeConsent, type ConsentDecision } from './consent-decision.ts'
import { createCollection } from '../store/collection.ts'
import type { Store } from '../store/contract.ts'
import { digest } from '../store/digest.ts'
import { stringRule, listOf, mapOf, optional } from '../validation/rules.ts'
import { isOfVersions, type ConsentVersions, type ConsentVersionStore } from './revoked-consents.ts'

/** The stored consent, and the consent versions that are in force (see `ConsentVersions`). */
export interface CurrentConsent {
  readonly consent: ConsentDecision
  readonly versions: ConsentVersions
}

interface ConsentRecord extends ConsentDecision {
  /** The consent versions at the time of the decision; absent if there was no version. */
  readonly versions?: ConsentVersions | undefined
}

/** Seconds for which a person's consent is stored after the last decision. */
export const STORED_CONSENT_SECONDS = 365 * 86_400

/** Creates the store of what people have approved and denied. */
export function createConsentStore(store: Store, consentVersions: ConsentVersionStore) {
  const records = createCollection<ConsentRecord>(store, {
    name: 'consent',
    version: 1,
    fields: {
      granted: listOf(stringRule),
      denied: listOf(stringRule),
      versions: optional(mapOf(stringRule)),
    },
  })

  return {
    /**
     * The current consent. Both lists of the consent are empty if the person has not decided yet, or if the
     * consent was revoked after the last decision.
     */
    async get(person: Person, clientId: string): Promise<CurrentConsent> {
      // The two reads may run in any order, because a record contains the consent versions of its decision.
      // `validPart` compares these versions with the current versions.
      const [record, versions] = await Promise.all([
        records.get(idOf(person, clientId)),
        consentVersions.current(person, clientId),
      ])
      return { consent: validPart(record, versions), versions }
    },
    /**
     * Merges a decision into the stored consent. No concurrent decision is lost.
     *
     * @param versions the consent versions that were in force before the decision
     */
    async update(
      person: Person,
      clientId: string,
      decision: ConsentDecision,
      versions: ConsentVersions,
    ): Promise<void> {
      const id = idOf(person, clientId)
      const change = (record?: ConsentRecord): ConsentRecord => ({
        ...mergeConsent(validPart(record, versions), decision),
        // Most people have no consent versions. Their records omit the field, and so stay small.
        ...(Object.keys(versions).length > 0 && { versions }),
      })
      if (await records.update(id, change, STORED_CONSENT_SECONDS)) return
      if (await records.create(id, change(), STORED_CONSENT_SECONDS)) return
      await records.update(id, change, STORED_CONSENT_SECONDS)
    },
    /** Deletes the stored consent, so that the person is asked at the next request. */
    async delete(person: Person, clientId: string): Promise<void> {
      await records.delete(idOf(person, clientId))
    },
  }
}

/**
 * Stores what people have decided about applications. For each application that a person has decided about, one record
 * covers all authorizations by this person.
 */
export type ConsentStore = ReturnType<typeof createConsentStore>

function idOf(person: Person, clientId: string): string {
  return digest(JSON.stringify([subjectOf(person), clientId]))
}

/**
 * The consent of a record. Both lists are empty if there is no record, or if the consent was revoked after its
 * decision.
 */
function validPart(record: ConsentRecord | undefined, versions: ConsentVersions): ConsentDecision {
  if (!record || !isOfVersions(record.versions, versions)) return { granted: [], denied: [] }
  return { granted: record.granted, denied: record.denied }
}
