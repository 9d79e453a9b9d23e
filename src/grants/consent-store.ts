import { subjectOf, type Person } from '../host/subject.ts'
import { mergeConsent, type ConsentDecision } from './consent-decision.ts'
import { createCollection } from '../store/collection.ts'
import type { Store } from '../store/contract.ts'
import { digest } from '../store/digest.ts'
import { type Fields, stringRule, listOf, mapOf, objectOf, optional } from '../validation/rules.ts'
import { isOfVersions, type ConsentVersions, type ConsentVersionStore } from './revoked-consents.ts'

/** The stored consent, and the consent versions that are in force (see `ConsentVersions`). */
export interface CurrentConsent {
  readonly consent: ConsentDecision
  readonly versions: ConsentVersions
  /** Whether the metadata document has changed since the decision. */
  readonly hasChanged: boolean
}

export interface DecidedClient {
  readonly clientId: string
  readonly document?: { readonly version: string; readonly epoch: number } | undefined
}

interface ConsentRecord extends ConsentDecision {
  /** The decisions about other resources than {base_url}, by address; absent if there are none. */
  readonly resources?: Readonly<Record<string, ConsentDecision>> | undefined
  /** The consent versions at the time of the decision; absent if there was no version. */
  readonly versions?: ConsentVersions | undefined
}

type Decisions = Omit<ConsentRecord, 'versions'>

/** Seconds for which a person's consent is stored after the last decision. */
export const STORED_CONSENT_SECONDS = 365 * 86_400

const DECISION: Fields = { granted: listOf(stringRule), denied: listOf(stringRule) }

const NOTHING: ConsentDecision = { granted: [], denied: [] }

/**
 * Stores what people have decided about applications, until a revocation or a changed document. For each application,
 * one record covers all authorizations by a person. In this record, each resource has a decision of its own.
 */
export function createConsentStore(store: Store, consentVersions: ConsentVersionStore, audience: string) {
  const records = createCollection<ConsentRecord>(store, {
    name: 'consent',
    version: 1,
    fields: {
      ...DECISION,
      resources: optional(mapOf(objectOf(DECISION))),
      versions: optional(mapOf(stringRule)),
    },
  })

  const decisionAt = (stored: Decisions, resource: string): ConsentDecision =>
    resource === audience ? stored : (stored.resources?.[resource] ?? NOTHING)

  function withDecision(stored: Decisions, resource: string, decision: ConsentDecision): Decisions {
    const merged = mergeConsent(decisionAt(stored, resource), decision)
    if (resource === audience) return { ...stored, ...merged }
    return { ...stored, resources: { ...stored.resources, [resource]: merged } }
  }

  async function read(person: Person, { clientId, document }: DecidedClient) {
    // In any order: a record contains the consent versions of its decision, and `validPart` compares them.
    const [record, current] = await Promise.all([
      records.get(idOf(person, clientId)),
      consentVersions.current(person, clientId),
    ])
    const ofDocument = document && { document: document.version, host: String(document.epoch) }
    return { record, versions: { ...current, ...ofDocument } }
  }

  return {
    /**
     * Both lists are empty without a decision, and after a revocation, a change of the document or a block of its host.
     */
    async get(person: Person, client: DecidedClient, resource: string): Promise<CurrentConsent> {
      const { record, versions } = await read(person, client)
      const before = record?.versions?.document
      const hasChanged = before !== undefined && before !== versions.document
      const { granted, denied } = decisionAt(validPart(record, versions), resource)
      return { consent: { granted, denied }, versions, hasChanged }
    },
    /** Whether a person has approved something of an application, at any resource. */
    async hasApproved(person: Person, client: DecidedClient): Promise<boolean> {
      const { record, versions } = await read(person, client)
      const stored = validPart(record, versions)
      return [stored, ...Object.values(stored.resources ?? {})].some(({ granted }) => granted.length > 0)
    },
    /** No concurrent decision is lost. */
    async update(
      person: Person,
      clientId: string,
      resource: string,
      decision: ConsentDecision,
      versions: ConsentVersions,
    ): Promise<void> {
      const id = idOf(person, clientId)
      const change = (record?: ConsentRecord): ConsentRecord => ({
        ...withDecision(validPart(record, versions), resource, decision),
        // Most people have no consent versions. Their records omit the field, and so stay small.
        ...(Object.keys(versions).length > 0 && { versions }),
      })
      await records.put(id, change, { ttl: STORED_CONSENT_SECONDS })
    },
    /** At all resources, so that the person is asked at the next request. */
    async delete(person: Person, clientId: string): Promise<void> {
      await records.delete(idOf(person, clientId))
    },
  }
}

export type ConsentStore = ReturnType<typeof createConsentStore>

function idOf(person: Person, clientId: string): string {
  return digest(JSON.stringify([subjectOf(person), clientId]))
}

/** Empty if there is no record, or if a version of the consent has changed since the last decision. */
function validPart(record: ConsentRecord | undefined, versions: ConsentVersions): Decisions {
  if (!record || !isOfVersions(record.versions, versions)) return NOTHING
  const { granted, denied, resources } = record
  return { granted, denied, ...(resources && { resources }) }
}
