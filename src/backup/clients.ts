import { isDeepStrictEqual } from 'node:util'
import { isObject } from '../validation/predicates.ts'
import { findProblems, optional } from '../validation/rules.ts'
import { createClientIndex } from '../clients/client-index.ts'
import {
  clientRecords,
  isDeleted,
  storedClients,
  whole,
  type ClientChanged,
  type ClientRecord,
} from '../clients/client-record.ts'
import { storedUsage } from '../clients/last-used.ts'
import type { Store } from '../store/contract.ts'
import { isCorruptRecord, CorruptRecord } from '../store/corrupt-record.ts'
import {
  noRecord,
  exportedRecord,
  problemsOfRecord,
  recordOf,
  type Section,
  type Counts,
  type OnSkipped,
} from './section.ts'
import { CLIENT_RECORD, fieldsOf, timeRule } from './record-rules.ts'

/** Clients that are read at once. */
const PAGE = 200

const KINDS = ['apiKey', 'application'] as const

/**
 * API keys and applications, whole: with the hashes of their secrets, their place in lists, and when they were last
 * used. What moves in never changes one that is here: only its epoch rises to that of the file, since tokens carry it.
 *
 * @param changed told of each whose epoch may have risen
 */
export function clientSection(store: Store, changed: ClientChanged): Section {
  const stored = storedClients(store)
  const records = clientRecords(store, changed)
  const usage = storedUsage(store)
  const indexOf = (kind: (typeof KINDS)[number]) =>
    createClientIndex({ store, kind, load: (ids) => records.getEach(ids) })
  const indexes = { apiKey: indexOf('apiKey'), application: indexOf('application') }

  async function* exportLines(onSkipped: OnSkipped) {
    for (const kind of KINDS) {
      let after: string | undefined
      do {
        const {
          items,
          unreadable: left,
          cursor,
        } = await indexes[kind].page(undefined, { cursor: after, limit: PAGE })
        left.forEach(onSkipped)
        const lastUsed = await usage.getEach(items.map(({ client }) => client.clientId))
        yield items.map((record, at) => ({
          record: exportedRecord(stored, plain(record)),
          lastUsedAt: timeOf(lastUsed[at]),
        }))
        after = cursor
      } while (after !== undefined)
    }
  }

  /** What it did not do before it ended it does when it is called again. */
  async function put(record: ClientRecord, lastUsedAt: number | undefined, counts: Counts): Promise<void> {
    const { clientId, kind } = record.client
    // Not listed before it is there: whoever lists an old entry without its record would tidy it up.
    if (await stored.create(clientId, record)) {
      await Promise.all([indexes[kind].add(record), noteUse(clientId, lastUsedAt)])
      counts[kind === 'apiKey' ? 'apiKeys' : 'applications'] += 1
    } else if (await isSame(record).catch(differsIfUnreadable)) {
      await Promise.all([indexes[kind].add(record), noteUse(clientId, lastUsedAt)])
      counts.unchanged += 1
    } else counts.conflicts.add(clientId)
  }

  /** Whether the one that is here is the same. Its epoch does not fall behind that of tokens that may move along. */
  async function isSame(record: ClientRecord): Promise<boolean> {
    const { clientId, epoch } = record.client
    const here = await records.update(clientId, (known) =>
      known.client.epoch < epoch ? { ...known, client: { ...known.client, epoch } } : undefined,
    )
    if (!here) return false
    const reached = { ...record, client: { ...record.client, epoch: here.client.epoch } }
    return isDeepStrictEqual(plain(here), plain(reached))
  }

  async function noteUse(clientId: string, lastUsedAt: number | undefined): Promise<void> {
    if (lastUsedAt === undefined || (await usage.create(clientId, { lastUsedAt }))) return
    const [known] = await usage.getEach([clientId])
    if (known instanceof CorruptRecord) await usage.set(clientId, { lastUsedAt })
    else await usage.update(clientId, (note) => (note.lastUsedAt < lastUsedAt ? { lastUsedAt } : undefined))
  }

  return {
    is: 'client',
    exportLines,
    parseLine({ record, lastUsedAt }) {
      const client = isObject(record) && isObject(record['client']) ? record['client'] : {}
      const read = recordOf(stored, client['clientId'], record)
      if (!read || isDeleted(read)) return noRecord(record, CLIENT_RECORD)
      const found = whole(read)
      const problems = [
        ...problemsOfRecord({ ...found }, CLIENT_RECORD),
        ...findProblems({ lastUsedAt }, { lastUsedAt: optional(timeRule) }),
      ]
      if (problems.length > 0) return { problems }
      return (counts) => put(plain(found), lastUsedAt as number | undefined, counts)
    },
  }
}

/** What is here and cannot be read is something else than what stands in the file. */
function differsIfUnreadable(error: unknown): false {
  if (isCorruptRecord(error)) return false
  throw error
}

/** A note that cannot be read is as none, and the next use writes it anew. */
function timeOf(note: { readonly lastUsedAt: number } | CorruptRecord | undefined): number | undefined {
  return note instanceof CorruptRecord ? undefined : note?.lastUsedAt
}

/** A record of what a record has, and nothing else. */
function plain({ client, secrets, listedAt, partialRevocations }: ClientRecord): ClientRecord {
  return {
    client: pick(client, fieldsOf(client.kind)),
    secrets: secrets.map((secret) => pick(secret, ['hash', 'createdAt', 'expiresAt'])),
    listedAt,
    ...(partialRevocations && { partialRevocations: pick(partialRevocations, ['since', 'scopes']) }),
  }
}

function pick<T extends object>(value: T, names: readonly string[]): T {
  const entries = Object.entries(value).filter(([name, field]) => names.includes(name) && field !== undefined)
  return Object.fromEntries(entries) as T
}
