import { subjectOf, type Person } from '../host/subject.ts'
import { mergeConsent, type StoredConsent, type ConsentDecision } from './consent-policy.ts'
import { createCollection } from '../store/collection.ts'
import type { Store } from '../store/contract.ts'
import { digest } from '../store/digest.ts'
import { stringRule, listOf, mapOf, optional } from '../validation/rules.ts'
import { isOfVersions, type ConsentVersions, type ConsentVersionStore } from './consent-version.ts'

/** The stored consent, and the consent versions that are in force. */
export interface CurrentConsent {
  readonly consent: StoredConsent
  readonly versions: ConsentVersions
}

interface ConsentRecord extends StoredConsent {
  /** The consent versions at the time of the decision; absent if there was no version. */
  readonly versions?: ConsentVersions | undefined
}

/** @param ttl seconds for which consent is stored after the last decision */
export function createConsentStore(store: Store, ttl: number, consentVersions: ConsentVersionStore) {
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
    /** The current consent. Its lists are empty if there was no decision yet, or if everything was revoked since. */
    async get(person: Person, clientId: string): Promise<CurrentConsent> {
      // The order of the two reads does not matter: a decision is valid only in the consent versions of its time.
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
        // Most accounts have no version. Their records omit the field, and so stay small.
        ...(Object.keys(versions).length > 0 && { versions }),
      })
      if (await records.update(id, change, ttl)) return
      if (await records.create(id, change(), ttl)) return
      await records.update(id, change, ttl)
    },
    /** Deletes the stored consent, so that the next request asks the person. */
    async delete(person: Person, clientId: string): Promise<void> {
      await records.delete(idOf(person, clientId))
    },
  }
}

/** The decisions of people about applications, over all authorizations: one record per person and application. */
export type ConsentStore = ReturnType<typeof createConsentStore>

function idOf(person: Person, clientId: string): string {
  return digest(JSON.stringify([subjectOf(person), clientId]))
}

/** The part of a record that is still valid: consent of an older version is not. */
function validPart(record: ConsentRecord | undefined, versions: ConsentVersions): StoredConsent {
  if (!record || !isOfVersions(record.versions, versions)) return { granted: [], denied: [] }
  return { granted: record.granted, denied: record.denied }
}
