import { CLOCK_SKEW_SECONDS } from '../../async/clock-tolerances.ts'
import { GatehouseError } from '../../errors.ts'
import { subjectOf, type Person } from '../../host/subject.ts'
import { createCollection } from '../../store/collection.ts'
import type { Store } from '../../store/contract.ts'
import { digest } from '../../store/digest.ts'
import { membersOf, pagesOf, readMembers } from '../../store/pages-of-index.ts'
import { createClaim } from '../../store/slot-counters.ts'
import { countRule, objectOf, oneOf, optional, listOf, textRule } from '../../validation/rules.ts'
import { type JwkSet, storedKeysRule } from '../jwk-set.ts'
import type { DocumentMetadata } from './to-application.ts'
import { storedIdOf } from './document-id.ts'

/** As it was last fetched. All times are in epoch seconds. */
export interface StoredDocument {
  readonly clientId: string
  readonly metadata: DocumentMetadata
  readonly version: string
  readonly createdAt: number
  readonly fetchedAt: number
  readonly freshUntil: number
  /** When a person first approved the client; undefined if none has yet. */
  readonly approvedAt?: number | undefined
  /** Why the document could not be used when it was last fetched; undefined if it could. */
  readonly problem?: string | undefined
  readonly keys?: (JwkSet & { readonly fetchedAt: number; readonly freshUntil: number }) | undefined
}

/** Longer than an authorization request may wait. Strangers can invent documents, so the record expires. */
const UNAPPROVED_SECONDS = 4500

/** Each fetch renews them, and each refresh of tokens needs a fresh document. */
const APPROVED_SECONDS = 400 * 86_400

/** A member is the address of a document. */
const APPROVED = 'client-documents'

const PAGE_SIZE = 500

/** More of them could fill the store. */
export const MAX_DOCUMENTS_OF_HOST = 1000

/** Documents that one person can be the first to approve in 400 days. */
const FIRST_APPROVALS = { slotSeconds: 4 * 86_400, slots: 100, max: 100 }

const rule = objectOf({
  clientId: textRule,
  metadata: objectOf({
    name: textRule,
    redirectUris: listOf(textRule),
    method: oneOf('none', 'private_key_jwt'),
    privacyUri: optional(textRule),
    termsUri: optional(textRule),
    jwks: optional(storedKeysRule),
    jwksUri: optional(textRule),
  }),
  version: textRule,
  createdAt: countRule,
  fetchedAt: countRule,
  freshUntil: countRule,
  approvedAt: optional(countRule),
  problem: optional(textRule),
  keys: optional(objectOf({ fetchedAt: countRule, freshUntil: countRule })),
})

/** Stores documents, for all processes: how long, and how many of a host, or first approved by one person. */
export function createStoredDocuments(store: Store) {
  const claimFirst = createClaim(store, FIRST_APPROVALS)
  const records = createCollection<StoredDocument>(store, {
    name: 'client-document',
    version: 1,
    fields: () => rule,
  })

  const usersOf = (clientId: string) => `client-document-users:${storedIdOf(clientId)}`

  /** Keeps an approved record longer. */
  const put = (
    clientId: string,
    change: (before: StoredDocument | undefined) => StoredDocument | undefined,
  ): Promise<StoredDocument | undefined> =>
    records.put(storedIdOf(clientId), change, {
      ttl: ({ approvedAt }) => (approvedAt === undefined ? UNAPPROVED_SECONDS : APPROVED_SECONDS),
    })

  return {
    get: (clientId: string) => records.get(storedIdOf(clientId)),
    put,

    async addUser(clientId: string, person: Person, now: number): Promise<void> {
      const known = await records.get(storedIdOf(clientId))
      const key = `client-documents:first:${digest(subjectOf(person))}`
      if (known && known.approvedAt === undefined && !(await claimFirst(key))) {
        throw new GatehouseError('ERR_TOO_MANY_CLIENTS', 'the person has approved too many new clients')
      }
      await store.add(usersOf(clientId), subjectOf(person), APPROVED_SECONDS)
      await store.add(APPROVED, clientId)
      const approve = (before?: StoredDocument) =>
        before && { ...before, approvedAt: before.approvedAt ?? now }
      if (await put(clientId, approve)) return
      const message = 'the document of the client is not stored any more'
      throw new GatehouseError('ERR_DOCUMENT_UNAVAILABLE', message)
    },

    /** At most 1000 subjects. */
    users: (clientId: string) => readMembers(store, usersOf(clientId)),
    /** The subjects that begin with `prefix`. */
    userPages: (clientId: string, prefix: string) => pagesOf(store, usersOf(clientId), { prefix }),
    removeUser: (clientId: string, subject: string) => store.remove(usersOf(clientId), subject),

    /** In alphabetical order. @param after only addresses after this one */
    list: (after: string | undefined, limit: number) => readMembers(store, APPROVED, { after, limit }),
    pages: () => pagesOf(store, APPROVED, { limit: PAGE_SIZE }),
    ofOrigin: (origin: string): Promise<readonly string[]> =>
      readMembers(store, APPROVED, { prefix: `${origin}/`, limit: MAX_DOCUMENTS_OF_HOST }),
    allOfOrigin: (origin: string) => membersOf(store, APPROVED, { prefix: `${origin}/` }),
    unlist: (clientId: string) => store.remove(APPROVED, clientId),
  }
}

export type StoredDocuments = ReturnType<typeof createStoredDocuments>

/** A `fetchedAt` in the future is not fresh: the clock was set back. */
export function isFresh(
  { fetchedAt, freshUntil }: { readonly fetchedAt: number; readonly freshUntil: number },
  now: number,
): boolean {
  return fetchedAt <= now + CLOCK_SKEW_SECONDS && now < freshUntil
}
