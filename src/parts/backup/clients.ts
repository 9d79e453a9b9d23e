import { isDeepStrictEqual } from 'node:util'
import { isObject } from '../../validation/predicates.ts'
import { createClientIndex } from '../../clients/client-index.ts'
import {
  clientRecords,
  credentialsOf,
  isDeleted,
  storedClients,
  type ClientRecord,
} from '../../clients/client-record.ts'
import type { Client } from '../../clients/client.ts'
import { expiryEntriesOf } from '../../clients/expiry-notices.ts'
import { fileRules } from '../../clients/field-rules.ts'
import { timeRule } from '../../clients/file-rules.ts'
import { optional } from '../../validation/rules.ts'
import { createSecretOwners } from '../../clients/secret-owners.ts'
import { KINDS } from '../../clients/walk-clients.ts'
import { storedLastUses, type LastUse } from '../../clients/last-used.ts'
import type { Collection } from '../../store/collection.ts'
import type { Store } from '../../store/contract.ts'
import { CorruptRecord } from '../../store/corrupt-record.ts'
import { checkLine } from './file-format.ts'
import {
  confirmExisting,
  exportedRecord,
  pick,
  readRecord,
  type Section,
  type Counts,
  type OnSkipped,
} from './section.ts'
import { CLIENT_RECORD, SECRET_FIELDS } from './record-rules.ts'

const PAGE_SIZE = 200

/** The fields of a client in a file. */
const NAMES = {
  apiKey: ['kind', ...Object.keys(fileRules('apiKey'))],
  application: ['kind', ...Object.keys(fileRules('application'))],
}

function tablesOf(store: Store) {
  const { getEach } = clientRecords(store)
  const indexOf = (kind: Client['kind']) => createClientIndex({ store, kind, load: getEach })
  const indexes = { apiKey: indexOf('apiKey'), application: indexOf('application') }
  return {
    store,
    stored: storedClients(store),
    lastUses: storedLastUses(store),
    secretOwners: createSecretOwners(store),
    indexes,
  }
}

type ClientTables = ReturnType<typeof tablesOf>

/**
 * API keys and applications, with the hashes of their secrets, their place in lists, and their last use. An
 * import never changes a client that already exists in the store. If that client differs from the client in
 * the file, its id is reported as a conflict.
 */
export function clientSection(store: Store): Section {
  const tables = tablesOf(store)
  return {
    is: 'client',
    async *exportLines(onSkipped) {
      for (const kind of KINDS) yield* exportKind(tables, kind, onSkipped)
    },
    parseLine({ record, lastUsedAt }, number) {
      checkLine(number, { lastUsedAt }, { lastUsedAt: optional(timeRule) })
      const client = isObject(record) && isObject(record['client']) ? record['client'] : {}
      const stored = tables.stored as Collection<ClientRecord>
      const line = { id: client['clientId'], record, rules: CLIENT_RECORD }
      const read = onlyKnownFields(readRecord(number, stored, line))
      return (counts) => importClient(tables, read, lastUsedAt as number | undefined, counts)
    },
  }
}

async function* exportKind(
  { stored, lastUses, indexes }: ClientTables,
  kind: Client['kind'],
  onSkipped: OnSkipped,
) {
  let after: string | undefined
  do {
    const { items, corrupt, cursor } = await indexes[kind].page(undefined, {
      cursor: after,
      limit: PAGE_SIZE,
    })
    corrupt.forEach(onSkipped)
    const uses = await lastUses.getEach(items.map(({ client }) => client.clientId))
    yield items.map((record, at) => ({
      record: exportedRecord(stored, onlyKnownFields(record)),
      // A corrupt last use is not exported; the next use of the client overwrites it.
      lastUsedAt: uses[at] instanceof CorruptRecord ? undefined : uses[at]?.lastUsedAt,
    }))
    after = cursor
  } while (after !== undefined)
}

/** If a call fails halfway, repeating the call completes the import. */
async function importClient(
  tables: ClientTables,
  record: ClientRecord,
  lastUsedAt: number | undefined,
  counts: Counts,
): Promise<void> {
  const { clientId, kind } = record.client
  const isNew = await tables.stored.create(clientId, record)
  const existing = isNew ? record : await confirmExisting(tables.stored, clientId)
  if (!existing || isDeleted(existing) || !isSame(existing, record)) {
    counts.conflicts.add(clientId)
    return
  }
  // The list entries are written after the record, because readers remove old entries that have no record.
  await Promise.all([
    tables.indexes[kind].add(record),
    // The notices that came due since the export are given after the import.
    ...expiryEntriesOf(record.client, 0).map((entry) => tables.store.add(...entry)),
    importLastUse(tables.lastUses, clientId, lastUsedAt),
    ...credentialsOf(record).map((hash) => tables.secretOwners.add(hash, { kind, clientId })),
  ])
  if (isNew) counts[kind === 'apiKey' ? 'apiKeys' : 'applications'] += 1
  else counts.unchanged += 1
}

/** Epochs, partial revocations and notices of the expiry change without a change of the client. */
function isSame(one: ClientRecord, other: ClientRecord): boolean {
  return isDeepStrictEqual(withoutEpoch(one), withoutEpoch(other))
}

function withoutEpoch(record: ClientRecord): ClientRecord {
  const { partialRevocations: _, noticed: _noticed, ...others } = onlyKnownFields(record)
  return { ...others, client: { ...others.client, epoch: 0 } }
}

async function importLastUse(
  lastUses: Collection<LastUse>,
  clientId: string,
  lastUsedAt: number | undefined,
): Promise<void> {
  if (lastUsedAt === undefined || (await lastUses.create(clientId, { lastUsedAt }))) return
  const [known] = await lastUses.getEach([clientId])
  if (known instanceof CorruptRecord) await lastUses.set(clientId, { lastUsedAt })
  else await lastUses.update(clientId, (use) => (use.lastUsedAt < lastUsedAt ? { lastUsedAt } : undefined))
}

function onlyKnownFields({
  client,
  secrets,
  listedAt,
  partialRevocations,
  noticed,
}: ClientRecord): ClientRecord {
  return {
    client: pick(client, NAMES[client.kind]),
    secrets: secrets.map((secret) => pick(secret, SECRET_FIELDS)),
    listedAt,
    ...(noticed !== undefined && { noticed }),
    ...(partialRevocations && { partialRevocations: pick(partialRevocations, ['since', 'scopes']) }),
  }
}
