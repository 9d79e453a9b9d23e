import type { Erasure, SealedKey } from '../../access/erasures.ts'
import { CLOCK_SKEW_SECONDS } from '../../async/clock-tolerances.ts'
import type { Internals } from '../../gatehouse/internals.ts'
import { clientSection } from './clients.ts'
import { catalogSection } from './catalog.ts'
import { isClientId } from '../../clients/client-id.ts'
import { DELETED_CLIENTS } from '../../clients/index-entries.ts'
import {
  isDeleted,
  storedClients,
  type ClientRecord,
  type DeletedClient,
} from '../../clients/client-record.ts'
import { kindRule } from '../../clients/rules-from-fields.ts'
import type { ExportedHost } from '../../clients/documents/blocked-hosts.ts'
import type { Collection } from '../../store/collection.ts'
import type { Store } from '../../store/contract.ts'
import { metCorruptMember } from '../../store/met-corrupt-records.ts'
import type { Finishers } from '../../commit/commit.ts'
import type { RevocationSpec } from '../../revocation/kept-until.ts'
import { createLongestLifetime } from '../../revocation/longest-token-lifetime.ts'
import { asRevocation, type Revocation } from '../../revocation/revocation.ts'
import { isDocumentOrigin } from '../../validation/document-id.ts'
import {
  anyValue,
  booleanRule,
  hostIdRule,
  must,
  objectOf,
  oneOf,
  optional,
  type Rule,
  textRule,
  wholeNumber,
} from '../../validation/rules.ts'
import type { Header } from './file-format.ts'
import { clientIdRule, countRule, timeRule } from '../../clients/file-rule-builders.ts'
import { importRecord } from './import-record.ts'
import { exportedRecord, readRecord, sectionOf, type Section } from './section.ts'
import { signingKeySection } from './signing-keys.ts'

const GRANTS_PAGE_SIZE = 50

export type Sections = ReturnType<typeof createSections>

/** The kinds of lines of an exported file, from clients and keys to revocations and erasures. */
export function createSections(parts: Internals, importsKeys = true) {
  const { store, logger, longestLifetime, exportableKeys: keys } = parts
  const ofIdTokens = (seconds: number) => createLongestLifetime(store, seconds, 'longest-id-token')
  const longestIdToken = ofIdTokens(1)

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
    hasKeys: keys !== undefined,
    sections: {
      signingKeys: signingKeySection(keys, importsKeys),
      products: catalogSection(store),
      clients: clientSection(store),
      deletedClients: deletedClientSection(store),
      documentHosts: documentHostSection(parts),
      revocations: revocationSection(parts),
      erasures: erasureSection(parts),
      erasureKeys: erasureKeySection(parts),
    },
    eraseAgain: parts.eraseAgain,
    logger,
  }
}

const revocationRule: Rule = (value) => {
  if (!asRevocation(value)) return { code: 'format', message: 'must be a revocation of a known kind' }
  // The epoch of a client may be raised to `below`, and must be able to rise further.
  return objectOf({ below: optional(countRule) })(value)
}

/** What unfinished changes revoke. Nothing is changed. */
function specsOf({ clientTokens, grantLifecycle: { index, hasStaleConsent } }: Internals): Finishers {
  return {
    client: clientTokens.revocationsOf,
    grant: async (id) => [{ of: 'grant', id }],
    async account(accountId) {
      const specs: RevocationSpec[] = []
      for await (const { items, corrupt } of index.pages(accountId, GRANTS_PAGE_SIZE)) {
        for (const { grantId, record } of items)
          if (await hasStaleConsent(record)) specs.push({ of: 'grant', id: grantId })
        // A corrupt record does not show whether the grant was made before the change. So the grant is revoked.
        specs.push(...corrupt.map(({ id }) => ({ of: 'grant', id }) as const))
      }
      return specs
    },
    host: async () => [],
  }
}

/** Those of unfinished changes come first, so that the file has those that come into force during the export. */
function revocationSection(parts: Internals): Section {
  const { revocationLog: log, revoked, commits } = parts
  const lines = (all: readonly Revocation[]) => ({ items: all.map((revocation) => ({ revocation })) })

  return sectionOf({
    is: 'revocation',
    rules: { revocation: revocationRule },
    async *pages() {
      yield lines(await commits.unfinishedRevocations(specsOf(parts)))
      for await (const revocations of log.inForce()) yield lines(revocations)
    },
    read:
      ({ revocation }) =>
      async (counts) => {
        const found = asRevocation(revocation)
        if (!found || found.until + CLOCK_SKEW_SECONDS < Date.now() / 1000) return
        revoked.add([found])
        await log.add([found])
        counts.revocations += 1
      },
  })
}

const keyIdRule = must('the id of a key', (value) => typeof value === 'string' && /^[\w-]{8}$/.test(value))
const hashRule = must('a hash', (value) => typeof value === 'string' && /^[\w-]{43}$/.test(value))

function erasureSection({ erasures }: Pick<Internals, 'erasures'>): Section {
  return sectionOf<Erasure>({
    is: 'erasure',
    rules: { key: keyIdRule, hash: hashRule, at: wholeNumber(0, 9_999_999_999_999) },
    async *pages() {
      for await (const items of erasures.pages()) yield { items }
    },
    read: (erasure) => () => erasures.put(erasure),
  })
}

/** The keys are encrypted under `secret`. */
function erasureKeySection({ erasures }: Pick<Internals, 'erasures'>): Section {
  return sectionOf<SealedKey>({
    is: 'erasure-key',
    rules: { id: keyIdRule, sealed: textRule },
    async *pages() {
      yield { items: await erasures.sealedKeys() }
    },
    read: erasures.unseal,
  })
}

const DELETED_CLIENT_RULES = { deleted: oneOf(true), kind: kindRule, epoch: countRule, deletedAt: timeRule }

const RECORDS_PAGE_SIZE = 500

export function deletedClientSection(store: Store): Section {
  const stored = storedClients(store)
  function idOf(member: string): string {
    if (!isClientId(member)) metCorruptMember(store, DELETED_CLIENTS)
    return member
  }

  return sectionOf<{ clientId: string; record: unknown }>({
    is: 'deleted-client',
    rules: { clientId: clientIdRule, record: anyValue },
    // A client is added to the index before it is deleted, so that the index lists every deleted client.
    async *pages() {
      for await (const { items, corrupt } of stored.pages(DELETED_CLIENTS, {
        idOf,
        limit: RECORDS_PAGE_SIZE,
      })) {
        const deleted = items.filter(({ record }) => isDeleted(record))
        const lines = deleted.map(({ member: clientId, record }) => ({
          clientId,
          record: exportedRecord(stored, record),
        }))
        yield { items: lines, corrupt }
      }
    },
    read({ clientId, record }, number) {
      const line = { id: clientId, record, rules: DELETED_CLIENT_RULES }
      const deleted = readRecord(number, stored as Collection<DeletedClient>, line)
      return async (counts) => {
        await stored.list(clientId, deleted)
        const isSame = (existing: ClientRecord | DeletedClient) =>
          isDeleted(existing) && existing.kind === deleted.kind
        const isNew = await importRecord(stored, { id: clientId, record: deleted, isSame }, counts)
        if (isNew !== undefined) counts[isNew ? 'deletedClients' : 'unchanged'] += 1
      }
    },
  })
}

/** The documents are not exported: the service fetches them again. */
function documentHostSection(parts: Pick<Internals, 'store' | 'commits'>): Section {
  return sectionOf<ExportedHost>({
    is: 'document-host',
    rules: {
      origin: must('the origin of a host', isDocumentOrigin),
      epoch: countRule,
      isBlocked: booleanRule,
      blockedAt: timeRule,
      blockedBy: optional(hostIdRule),
    },
    async *pages() {
      const { hostRecords } = await import('../../clients/documents/blocked-hosts.ts')
      for await (const { items, corrupt } of hostRecords(parts.store).pages())
        yield { items: items.map(({ record }) => record), corrupt }
    },
    read: (host) => async (counts) => {
      const { restoreHost } = await import('../../clients/documents/blocked-hosts.ts')
      if (await restoreHost(parts, host)) counts.blockedHosts += 1
      else counts.unchanged += 1
    },
  })
}
