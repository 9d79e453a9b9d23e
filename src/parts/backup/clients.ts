import { isDeepStrictEqual } from 'node:util'
import { isObject } from '../../validation/predicates.ts'
import { createClientLists } from '../../clients/client-index.ts'
import { expiryEntriesOf } from '../../clients/index-entries.ts'
import {
  credentialsOf,
  isDeleted,
  storedClients,
  type ClientRecord,
  type DeletedClient,
} from '../../clients/client-record.ts'
import { clientRuleOf, fileRules } from '../../clients/rules-from-fields.ts'
import type { Client } from '../../clients/client.ts'
import * as inFile from '../../clients/file-rule-builders.ts'
import { keysOf } from '../../clients/jwk-set.ts'
import { isConsistent, isPublicClient } from '../../clients/public-applications.ts'
import { isSecretHash } from '../../clients/stored-secrets.ts'
import {
  anyValue,
  type Fields,
  hostIdRule,
  listOf,
  objectOf,
  optional,
  textRule,
  wholeNumber,
} from '../../validation/rules.ts'
import { createSecretOwners } from '../../clients/secret-owners.ts'
import { storedLastUses } from '../../clients/last-used.ts'
import type { Collection } from '../../store/collection.ts'
import type { Store } from '../../store/contract.ts'
import { CorruptRecord, isCorruptRecord } from '../../store/corrupt-record.ts'
import { type Counts, importRecord } from './import-record.ts'
import { exportedRecord, pick, readRecord, sectionOf, type Section } from './section.ts'

const NAMES = {
  apiKey: ['kind', ...Object.keys(fileRules('apiKey'))],
  application: ['kind', ...Object.keys(fileRules('application'))],
}

const SECRET: Fields = {
  hash: (value) =>
    isSecretHash(value) ? undefined : 'must be the hash of a secret: "sha256:" and 43 characters',
  createdAt: inFile.timeRule,
  expiresAt: optional(inFile.timeRule),
  shownTo: optional(hostIdRule),
  hint: optional(hostIdRule),
}

const SECRET_FIELDS = Object.keys(SECRET)

const clientRule = clientRuleOf(fileRules)

function findInconsistency(client: Client): string | undefined {
  if (isPublicClient(client) && keysOf(client).length > 0) return 'must not be public and have keys'
  if (client.kind !== 'application' || isConsistent(client)) return undefined
  return 'must have addresses that fit its kind'
}

const CLIENT_RECORD: Fields = {
  deleted: (value) => (value === undefined ? undefined : 'must be absent'),
  client: (value) => clientRule(value) ?? findInconsistency(value as Client),
  // None after `reportCompromised`.
  secrets: (value) =>
    Array.isArray(value) && value.length > 2
      ? 'must be a list of at most two secrets'
      : listOf(objectOf(SECRET))(value),
  // Lists are sorted by this time, which is in milliseconds and has at most 13 digits.
  listedAt: wholeNumber(0, 9_999_999_999_999),
  partialRevocations: optional(objectOf({ since: inFile.countRule, scopes: inFile.listOf(textRule) })),
  noticed: optional(inFile.countRule),
}

/**
 * What a file has of API keys and applications: fields, hashes of secrets, places in lists, last use; and when a client
 * counts as the same as the one in the store.
 */
export function clientSection(store: Store): Section {
  const stored = storedClients(store)
  const lastUses = storedLastUses(store)
  const secretOwners = createSecretOwners(store)

  async function importLastUse(clientId: string, lastUsedAt: number | undefined): Promise<void> {
    if (lastUsedAt === undefined || (await lastUses.create(clientId, { lastUsedAt }))) return
    try {
      await lastUses.update(clientId, (use) => (use.lastUsedAt < lastUsedAt ? { lastUsedAt } : undefined))
    } catch (error) {
      if (!isCorruptRecord(error)) throw error
      await lastUses.set(clientId, { lastUsedAt })
    }
  }

  /** If a call fails halfway, repeating the call completes the import. */
  async function importClient(record: ClientRecord, lastUsedAt: number | undefined, counts: Counts) {
    const { clientId, kind } = record.client
    const isSame = (existing: ClientRecord | DeletedClient) =>
      !isDeleted(existing) && isDeepStrictEqual(withoutEpoch(existing), withoutEpoch(record))
    const isNew = await importRecord(stored, { id: clientId, record, isSame }, counts)
    if (isNew === undefined) return
    // The list entries are written after the record, because readers remove old entries that have no record.
    await Promise.all([
      stored.list(clientId, record),
      // The notices that came due since the export are given after the import.
      ...expiryEntriesOf(record.client, 0).map((entry) => store.add(...entry)),
      importLastUse(clientId, lastUsedAt),
      ...credentialsOf(record).map((hash) => secretOwners.add(hash, { kind, clientId })),
    ])
    counts[!isNew ? 'unchanged' : kind === 'apiKey' ? 'apiKeys' : 'applications'] += 1
  }

  return sectionOf<{ record: unknown; lastUsedAt: number | undefined }>({
    is: 'client',
    rules: { record: anyValue, lastUsedAt: optional(inFile.timeRule) },
    async *pages() {
      for await (const { items, corrupt } of createClientLists(store).pages(undefined)) {
        const uses = await lastUses.getEach(items.map(({ client }) => client.clientId))
        const lines = items.map((record, at) => ({
          record: exportedRecord(stored, onlyKnownFields(record)),
          // A corrupt last use is not exported; the next use of the client overwrites it.
          lastUsedAt: uses[at] instanceof CorruptRecord ? undefined : uses[at]?.lastUsedAt,
        }))
        yield { items: lines, corrupt }
      }
    },
    read({ record, lastUsedAt }, number) {
      const client = isObject(record) && isObject(record['client']) ? record['client'] : {}
      const line = { id: client['clientId'], record, rules: CLIENT_RECORD }
      const read = onlyKnownFields(readRecord(number, stored as Collection<ClientRecord>, line))
      return (counts) => importClient(read, lastUsedAt, counts)
    },
  })
}

/** Epochs, partial revocations and notices of the expiry change without a change of the client. */
function withoutEpoch(record: ClientRecord): ClientRecord {
  const { partialRevocations: _, noticed: _noticed, ...others } = onlyKnownFields(record)
  return { ...others, client: { ...others.client, epoch: 0 } }
}

function onlyKnownFields(record: ClientRecord): ClientRecord {
  const { client, secrets, listedAt, partialRevocations, noticed } = record
  return {
    client: pick(client, NAMES[client.kind]),
    secrets: secrets.map((secret) => pick(secret, SECRET_FIELDS)),
    listedAt,
    ...(noticed !== undefined && { noticed }),
    ...(partialRevocations && { partialRevocations: pick(partialRevocations, ['since', 'scopes']) }),
  }
}
