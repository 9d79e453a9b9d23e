import type { Erasure, SealedKey } from '../../access/erasures.ts'
import { CLOCK_SKEW_SECONDS } from '../../async/clock-tolerances.ts'
import type { Internals } from '../../gatehouse/internals.ts'
import { clientSection } from './clients.ts'
import { catalogSection } from './catalog.ts'
import { revocationOfCorrupt } from '../../clients/access-epoch.ts'
import { isClientId } from '../../clients/client-id.ts'
import { DELETED_CLIENTS, isDeleted, storedClients, type DeletedClient } from '../../clients/client-record.ts'
import { kindRule } from '../../clients/client-schema.ts'
import type { ExportedHost } from '../../clients/documents/blocked-hosts.ts'
import type { Collection } from '../../store/collection.ts'
import type { Store } from '../../store/contract.ts'
import { CorruptRecord, isCorruptRecord } from '../../store/corrupt-record.ts'
import { metCorruptMember } from '../../store/met-corrupt-records.ts'
import { pagesOf } from '../../store/pages-of-index.ts'
import { createLongestLifetime } from '../../revocation/longest-token-lifetime.ts'
import type { RevocationSpec } from '../../revocation/kept-until.ts'
import { asRevocation, type Revocation } from '../../revocation/revocation.ts'
import type { Subject } from '../../revocation/revoke-tokens.ts'
import { isDocumentOrigin } from '../../validation/document-id.ts'
import {
  booleanRule,
  hostIdRule,
  must,
  oneOf,
  optional,
  textRule,
  wholeNumber,
} from '../../validation/rules.ts'
import { checkLine, problemsOfLine, type Header } from './file-format.ts'
import { clientIdRule, countRule, timeRule } from '../../clients/file-rules.ts'
import { confirmExisting, exportedRecord, readRecord, type Section } from './section.ts'

const GRANTS_PAGE_SIZE = 50

export type Sections = ReturnType<typeof createSections>

/**
 * Creates the sections of an export: products, clients, deleted clients, blocked hosts, keys, revocations and erasures.
 */
export function createSections(parts: Internals) {
  const { store, logger, longestLifetime, clientTokens, grantLifecycle, exportableKeys: keys } = parts
  const ofIdTokens = (seconds: number) => createLongestLifetime(store, seconds, 'longest-id-token')
  const longestIdToken = ofIdTokens(1)

  /** If the client's record is corrupt, its revocations are unknown, so all its tokens are revoked. */
  async function revocationsOf(id: string): Promise<readonly RevocationSpec[]> {
    try {
      return await clientTokens.revocationsOf(id)
    } catch (error) {
      if (!isCorruptRecord(error)) throw error
      return revocationOfCorrupt(id, Date.now())
    }
  }

  async function pendingSpecs({ of, id }: Subject): Promise<readonly RevocationSpec[]> {
    if (of === 'client') return revocationsOf(id)
    if (of === 'grant') return [{ of, id }]
    const specs: RevocationSpec[] = []
    for await (const { items, corrupt } of grantLifecycle.index.pages(id, GRANTS_PAGE_SIZE)) {
      for (const { grantId, record } of items) {
        if (await grantLifecycle.hasStaleConsent(record)) specs.push({ of: 'grant', id: grantId })
      }
      // A corrupt record does not show whether the grant was made before the pending change. So the grant is revoked.
      for (const { id: grantId } of corrupt) specs.push({ of: 'grant', id: grantId })
    }
    return specs
  }

  return {
    async header(): Promise<Header> {
      const accessToken = await longestLifetime.seconds()
      const idToken = keys && (await longestIdToken.seconds())
      return {
        exportedAt: Math.floor(Date.now() / 1000),
        issuer: parts.issuer,
        signingKeys: keys !== undefined,
        longestLifetimes: { accessToken, ...(idToken !== undefined && { idToken }) },
      }
    },
    async storeLifetimes({ accessToken, idToken }: Header['longestLifetimes']): Promise<void> {
      await createLongestLifetime(store, accessToken).seconds()
      if (idToken !== undefined) await ofIdTokens(idToken).seconds()
      // Reads the lifetime that is stored now. This process then keeps later revocations for that time.
      await longestLifetime.seconds()
    },
    keys,
    sections: {
      products: catalogSection(store),
      clients: clientSection(store),
      deletedClients: deletedClientSection(store),
      documentHosts: documentHostSection(parts),
      revocations: revocationSection(parts, () => parts.revocations.listPending(pendingSpecs)),
      erasures: erasureSection(parts),
      erasureKeys: erasureKeySection(parts),
    },
    eraseAgain: parts.eraseAgain,
    logger,
  }
}

/**
 * The pending revocations are read first, so that the file also contains a revocation that comes into force
 * during the export.
 */
function revocationSection(
  { revocationLog: log, revoked }: Internals,
  listPending: () => Promise<readonly Revocation[]>,
): Section {
  const lines = (revocations: readonly Revocation[]) => revocations.map((revocation) => ({ revocation }))

  return {
    is: 'revocation',
    async *exportLines() {
      yield lines(await listPending())
      for await (const revocations of log.inForce()) yield lines(revocations)
    },
    parseLine({ revocation }, number) {
      const found = asRevocation(revocation)
      if (!found) {
        const message = 'must be a revocation of a known kind'
        throw problemsOfLine(number, [{ path: 'revocation', code: 'format', message }])
      }
      const below = 'below' in found ? found.below : undefined
      // The epoch of a client may be raised to `below`, and must be able to rise further. So `below` must
      // obey the limit of an epoch.
      checkLine(number, { 'revocation.below': below }, { 'revocation.below': optional(countRule) })
      return async (counts) => {
        if (found.until + CLOCK_SKEW_SECONDS < Date.now() / 1000) return
        revoked.add([found])
        await log.add([found])
        counts.revocations += 1
      }
    },
  }
}

const keyIdRule = must('the id of a key', (value) => typeof value === 'string' && /^[\w-]{8}$/.test(value))
const hashRule = must('a hash', (value) => typeof value === 'string' && /^[\w-]{43}$/.test(value))

function erasureSection({ erasures }: Pick<Internals, 'erasures'>): Section {
  return {
    is: 'erasure',
    exportLines: () => erasures.pages(),
    parseLine({ key, hash, at }, number) {
      const rules = { key: keyIdRule, hash: hashRule, at: wholeNumber(0, 9_999_999_999_999) }
      checkLine(number, { key, hash, at }, rules)
      return () => erasures.put({ key, hash, at } as Erasure)
    },
  }
}

/** The keys are encrypted under `secret`. */
function erasureKeySection({ erasures }: Pick<Internals, 'erasures'>): Section {
  return {
    is: 'erasure-key',
    async *exportLines() {
      yield await erasures.sealedKeys()
    },
    async parseLine({ id, sealed }, number) {
      checkLine(number, { id, sealed }, { id: keyIdRule, sealed: textRule })
      return erasures.unseal({ id, sealed } as SealedKey)
    },
  }
}

const DELETED_CLIENT_RULES = { deleted: oneOf(true), kind: kindRule, epoch: countRule, deletedAt: timeRule }

const RECORDS_PAGE_SIZE = 500

export function deletedClientSection(store: Store): Section {
  const stored = storedClients(store) as Collection<DeletedClient>

  return {
    is: 'deleted-client',
    // A client is added to the index before it is deleted, so that the index lists every deleted client.
    async *exportLines(onSkipped) {
      for await (const ids of pagesOf(store, DELETED_CLIENTS, { limit: RECORDS_PAGE_SIZE })) {
        if (!ids.every(isClientId)) metCorruptMember(store, DELETED_CLIENTS)
        const records = await stored.getEach(ids)
        for (const record of records) if (record instanceof CorruptRecord) onSkipped(record)
        yield records.flatMap((record, at) =>
          record === undefined || record instanceof CorruptRecord || !isDeleted(record)
            ? []
            : { clientId: ids[at], record: exportedRecord(stored, record) },
        )
      }
    },
    parseLine({ clientId: id, record }, number) {
      checkLine(number, { clientId: id }, { clientId: clientIdRule })
      const clientId = String(id)
      const deleted = readRecord(number, stored, { id, record, rules: DELETED_CLIENT_RULES })
      return async (counts) => {
        await store.add(DELETED_CLIENTS, clientId)
        if (await stored.create(clientId, deleted)) {
          counts.deletedClients += 1
          return
        }
        const existing = await confirmExisting(stored, clientId)
        if (existing && isDeleted(existing) && existing.kind === deleted.kind) counts.unchanged += 1
        else counts.conflicts.add(clientId)
      }
    },
  }
}

const HOST_RULES = {
  origin: must('the origin of a host', isDocumentOrigin),
  epoch: countRule,
  isBlocked: booleanRule,
  blockedAt: timeRule,
  blockedBy: optional(hostIdRule),
}

/** The documents are not exported: the service fetches them again. */
function documentHostSection(parts: Pick<Internals, 'store' | 'revocations'>): Section {
  return {
    is: 'document-host',
    async *exportLines(onSkipped) {
      const { hostRecords } = await import('../../clients/documents/blocked-hosts.ts')
      for await (const records of hostRecords(parts.store).pages()) {
        for (const record of records) if (record instanceof CorruptRecord) onSkipped(record)
        yield records.flatMap((record) => {
          if (record instanceof CorruptRecord) return []
          const { origin, epoch, isBlocked, blockedAt, blockedBy } = record
          return { origin, epoch, isBlocked, blockedAt, blockedBy }
        })
      }
    },
    parseLine({ origin, epoch, isBlocked, blockedAt, blockedBy }, number) {
      const host = { origin, epoch, isBlocked, blockedAt, blockedBy }
      checkLine(number, host, HOST_RULES)
      return async (counts) => {
        const { restoreHost } = await import('../../clients/documents/blocked-hosts.ts')
        if (await restoreHost(parts, host as ExportedHost)) counts.blockedHosts += 1
        else counts.unchanged += 1
      }
    },
  }
}
