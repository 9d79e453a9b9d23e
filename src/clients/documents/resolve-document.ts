import { GatehouseError } from '../../errors.ts'
import type { Person } from '../../host/subject.ts'
import type { FetchedJson } from '../../http/outgoing/fetch-document.ts'
import type { FetchJsonOptions, Outgoing } from '../../http/outgoing/outgoing.ts'
import { OutgoingProblem } from '../../http/outgoing/outgoing-problem.ts'
import type { KnownOfClients } from '../repair-epochs.ts'
import type { Store } from '../../store/contract.ts'
import type { MemoryWatch } from '../../store/memory-watch.ts'
import { createLru } from '../../async/lru.ts'
import type { DocumentApplication } from './document-application.ts'
import { findDocumentIdProblem } from './document-id.ts'
import { hostOf, originOf } from '../../validation/document-id.ts'
import { findPolicy, type DocumentPolicy } from './document-policy.ts'
import { hostRecords, type HostRecord } from './blocked-hosts.ts'
import { readDocument, readKeySet, versionOf } from './read-document.ts'
import { toApplication } from './to-application.ts'
import {
  createStoredDocuments,
  isFresh,
  MAX_DOCUMENTS_OF_HOST,
  type StoredDocument,
  type StoredDocuments,
} from './stored-documents.ts'

// The client id is the https address of a client metadata document, which says what a developer otherwise registers
// (draft-ietf-oauth-client-id-metadata-document-02). This file is loaded only with the option `clientDocuments`.

const MAX_BYTES = { document: 5 * 1024, keys: 64 * 1024 }

/** Seconds after which a document or its keys are fetched again. Its server chooses between `min` and `max`. */
const FRESH_SECONDS = { min: 60, byDefault: 3600, max: 86_400, unapproved: 600 }

/** Seconds beyond that for which they are used while they cannot be fetched. */
const STALE_SECONDS = { document: 86_400, keys: 3600 }

/** Seconds after which keys are fetched again for an assertion that names an unknown key. */
const KEY_PAUSE_SECONDS = 60

/** Seconds after which a document that the policy rejects is fetched again. */
const REJECTED_SECONDS = 10

/** Reads at the same time for documents that are not known as approved: strangers can make up addresses. */
const MAX_STRANGERS = 64

/** Approved documents that a process remembers. They do not count for `MAX_STRANGERS`. */
const MAX_REMEMBERED = 1000

export type ResolvedDocument = { readonly application: DocumentApplication } | { readonly problem: string }

export interface DocumentResolverParts {
  readonly store: Store
  readonly settings: {
    readonly clientDocuments: readonly DocumentPolicy[]
    readonly kycLevels: readonly string[]
  }
  readonly outgoing: Pick<Outgoing, 'fetchJson'>
  readonly known: Pick<KnownOfClients, 'lowestValidEpoch'>
  readonly memory: Pick<MemoryWatch, 'requireSpace'>
}

/** Finds the applications of documents: when each is fetched again, and how long a stale one is used. */
export function createDocumentResolver(parts: DocumentResolverParts) {
  const { store, settings, outgoing, known, memory } = parts
  const documents = createStoredDocuments(store)
  const hosts = hostRecords(store)
  const approved = createLru<string, true>(MAX_REMEMBERED)
  let strangers = 0

  return {
    documents,

    /**
     * Fetches the document if the stored one is too old. @param kid the key that the client's assertion names
     * @param sender the address group of the request, which has a share of what may be fetched
     * @throws {GatehouseError} `ERR_DOCUMENT_UNAVAILABLE` if it cannot be fetched now; `ERR_STORE_UNAVAILABLE`
     */
    async resolve(clientId: string, kid?: string, sender?: string): Promise<ResolvedDocument> {
      const fault = findDocumentIdProblem(clientId)
      if (fault) return { problem: `client_id ${fault.message}` }
      const policy = findPolicy(settings.clientDocuments, clientId)
      if (!policy) return { problem: `this service accepts no documents of ${hostOf(clientId)}` }
      const [stored, host] = approved.get(clientId) ? await read(clientId) : await readOfStranger(clientId)
      return resolveWith(policy, clientId, stored, host, { kid, sender })
    },

    /** Never fetches. Disabled if no policy covers the document any more, or if its host is blocked. */
    async findStored(clientId: string): Promise<DocumentApplication | undefined> {
      if (findDocumentIdProblem(clientId)) return undefined
      const [stored, host] = await read(clientId)
      if (!stored) return undefined
      const policy = findPolicy(settings.clientDocuments, clientId)
      const application = policy && !host?.isBlocked && applicationOf(stored, policy, host?.epoch)
      if (typeof application === 'object') return application
      const rejected = applicationOf(stored, NO_PRODUCTS, host?.epoch)
      return typeof rejected === 'object'
        ? { ...rejected, disabled: true, disabledBy: 'operator' }
        : undefined
    },

    /**
     * Call it before the approval takes effect.
     * @throws {GatehouseError} `ERR_TOO_MANY_CLIENTS` if the person was the first to approve too many documents;
     *   `ERR_DOCUMENT_UNAVAILABLE` if the document is not stored any more; `ERR_STORE_UNAVAILABLE`
     */
    approving: (clientId: string, person: Person): Promise<void> =>
      documents.addUser(clientId, person, epochSeconds()),
  }

  async function readOfStranger(clientId: string) {
    if (strangers >= MAX_STRANGERS) {
      throw new GatehouseError('ERR_DOCUMENT_UNAVAILABLE', 'too many new clients at once; try again')
    }
    strangers += 1
    try {
      return await read(clientId)
    } finally {
      strangers -= 1
    }
  }

  async function resolveWith(
    policy: DocumentPolicy,
    clientId: string,
    stored: StoredDocument | undefined,
    host: HostRecord | undefined,
    { kid, sender }: { readonly kid: string | undefined; readonly sender: string | undefined },
  ): Promise<ResolvedDocument> {
    if (stored?.approvedAt !== undefined) approved.set(clientId, true)
    if (host?.isBlocked) return { problem: `this service has blocked ${hostOf(clientId)}` }
    const now = epochSeconds()
    // A document that the policy rejects is fetched again soon, because its developer may have changed it.
    const isRejected = stored && typeof applicationOf(stored, policy) === 'string'
    const mayChange = isRejected && now >= stored.fetchedAt + REJECTED_SECONDS
    const isUsable = stored && isFresh(stored, now) && !mayChange
    const fresh = isUsable ? stored : await fetchDocument(clientId, stored, now, sender)
    if (typeof fresh === 'string') return { problem: `the document of the client ${fresh}` }
    const complete = await withKeys(fresh, kid, now, sender)
    if (typeof complete === 'string') return { problem: `the JWK Set at jwks_uri ${complete}` }
    const application = applicationOf(complete, policy, host?.epoch)
    if (typeof application === 'string') return { problem: application }
    return { application }
  }

  function read(clientId: string) {
    return Promise.all([documents.get(clientId), hosts.get(originOf(clientId))])
  }

  function applicationOf(stored: StoredDocument, policy: DocumentPolicy, epoch = 0) {
    const { clientId } = stored
    return toApplication(stored, policy, {
      // A failover of the store may have lost the last block, whose revocation this process knows.
      epoch: Math.max(epoch, known.lowestValidEpoch(originOf(clientId))),
      kycLevels: settings.kycLevels,
    })
  }

  async function fetchDocument(
    clientId: string,
    stored: StoredDocument | undefined,
    now: number,
    sender: string | undefined,
  ): Promise<StoredDocument | string> {
    const isKnown = stored?.approvedAt !== undefined
    if (!isKnown) memory.requireSpace()
    const isUsable = stored !== undefined && now < stored.freshUntil + STALE_SECONDS.document
    const fetched = await tryFetch(clientId, { maxBytes: MAX_BYTES.document, isKnown, sender, isUsable })
    if (fetched === undefined) return stored as StoredDocument
    const metadata = typeof fetched === 'string' ? fetched : readDocument(clientId, fetched.body)
    if (typeof metadata === 'string') {
      await noteProblem(documents, clientId, metadata)
      return metadata
    }
    if (!isKnown && (await documents.ofOrigin(originOf(clientId))).length >= MAX_DOCUMENTS_OF_HOST) {
      return `cannot be accepted: users have already approved ${MAX_DOCUMENTS_OF_HOST} documents of ${hostOf(clientId)}`
    }
    const version = versionOf(metadata)
    const freshUntil = freshEnd(fetched, now, isKnown ? FRESH_SECONDS.max : FRESH_SECONDS.unapproved)
    const saved = await documents.put(clientId, (before) => ({
      clientId,
      metadata,
      version,
      createdAt: before?.createdAt ?? now,
      fetchedAt: now,
      freshUntil,
      approvedAt: before?.approvedAt,
      // The keys of another jwks_uri must not stay.
      ...(before?.metadata.jwksUri === metadata.jwksUri && { keys: before?.keys }),
    }))
    return saved as StoredDocument
  }

  /** The keys are fetched again if `kid` is not among them. */
  async function withKeys(
    stored: StoredDocument,
    kid: string | undefined,
    now: number,
    sender: string | undefined,
  ): Promise<StoredDocument | string> {
    const { clientId, metadata, keys, approvedAt } = stored
    const { method, jwksUri } = metadata
    if (method === 'none' || jwksUri === undefined) return stored
    const isMissing = kid !== undefined && !keys?.keys.some((key) => key.kid === kid)
    const mayAskAgain = keys === undefined || now >= keys.fetchedAt + KEY_PAUSE_SECONDS
    if (keys && isFresh(keys, now) && !(isMissing && mayAskAgain)) return stored
    const isKnown = approvedAt !== undefined
    const isUsable = keys !== undefined && !isMissing && now < keys.freshUntil + STALE_SECONDS.keys
    // A client may name any host: its requests must not use up those of the clients of that host.
    const shareOf = isKnown ? `keys of ${hostOf(clientId)}` : undefined
    const options = { maxBytes: MAX_BYTES.keys, isKnown, sender, isUsable, shareOf }
    const fetched = await tryFetch(jwksUri, options)
    if (fetched === undefined) return stored
    const set = typeof fetched === 'string' ? fetched : readKeySet(fetched.body)
    if (typeof set === 'string') return set
    const freshUntil = freshEnd(fetched, now, FRESH_SECONDS.max)
    const known = { ...set, fetchedAt: now, freshUntil }
    await documents.put(clientId, (before) =>
      before?.metadata.jwksUri === jwksUri ? { ...before, keys: known } : undefined,
    )
    return { ...stored, keys: known }
  }

  /** @returns undefined without an answer, if what is stored `isUsable` @throws `ERR_DOCUMENT_UNAVAILABLE` */
  async function tryFetch(
    url: string,
    options: Omit<FetchJsonOptions, 'budget'> & { readonly isKnown: boolean; readonly isUsable: boolean },
  ): Promise<FetchedJson | string | undefined> {
    const { isKnown, isUsable, ...others } = options
    try {
      return await outgoing.fetchJson(url, { ...others, budget: isKnown ? 'known' : 'new' })
    } catch (error) {
      if (!(error instanceof OutgoingProblem)) throw error
      if (error.kind === 'rejected') return `cannot be used: ${error.message}`
      if (isUsable) return undefined
      const message = `${hostOf(url)} cannot be asked about the client now: ${error.message}`
      throw new GatehouseError('ERR_DOCUMENT_UNAVAILABLE', message, { cause: error })
    }
  }
}

export type DocumentResolver = ReturnType<typeof createDocumentResolver>

/** For a document that no policy covers any more, or whose host is blocked. */
const NO_PRODUCTS: DocumentPolicy = { match: '', products: [], loopback: true }

/** For operators. The next request fetches the document again. */
async function noteProblem(documents: StoredDocuments, clientId: string, problem: string): Promise<void> {
  await documents.put(clientId, (before) =>
    before === undefined || before.problem === problem ? undefined : { ...before, problem, freshUntil: 0 },
  )
}

function freshEnd(fetched: FetchedJson | string, now: number, max: number): number {
  const { maxAgeSeconds = FRESH_SECONDS.byDefault } = typeof fetched === 'string' ? {} : fetched
  return now + Math.min(Math.max(maxAgeSeconds, FRESH_SECONDS.min), max)
}

function epochSeconds(): number {
  return Math.floor(Date.now() / 1000)
}
