import { DELETED_CLIENTS, isDeleted, storedClients, type DeletedClient } from '../clients/client-record.ts'
import { kindRule } from '../clients/client-schema.ts'
import type { Collection } from '../store/collection.ts'
import { oneOf, findProblems, type Fields, type Rule } from '../validation/rules.ts'
import type { Store } from '../store/contract.ts'
import {
  confirmExisting,
  exportedRecord,
  readRecord,
  type Section,
  type Counts,
  type OnSkipped,
} from './section.ts'
import { clientIdRule, countRule, timeRule } from './record-rules.ts'
import { metCorruptMember } from '../store/met-corrupt-records.ts'
import { CorruptRecord } from '../store/corrupt-record.ts'

const RULES = { deleted: oneOf(true), kind: kindRule, epoch: countRule, deletedAt: timeRule }

/** The ids of deleted clients, which stay reserved. */
export function deletedClientSection(store: Store): Section {
  const stored = storedClients(store) as Collection<DeletedClient>

  return listedSection({
    is: 'deleted-client',
    store,
    // A client is added to this index before it is deleted, so that the index lists every deleted client.
    index: DELETED_CLIENTS,
    stored,
    idRule: clientIdRule,
    rules: RULES,
    isExported: isDeleted,
    async importRecord(clientId, record, counts) {
      await store.add(DELETED_CLIENTS, clientId)
      if (await stored.create(clientId, record)) {
        counts.deletedClients += 1
        return
      }
      const existing = await confirmExisting(stored, clientId)
      if (existing && isDeleted(existing) && existing.kind === record.kind) counts.unchanged += 1
      else counts.conflicts.add(clientId)
    },
  })
}

/** The number of records that are read at once. */
const PAGE_SIZE = 500

/** Records whose client ids are listed in an index. */
interface ListedRecords<T extends object> {
  /** The value of `is` in the lines that contain these records. */
  readonly is: string
  readonly store: Store
  readonly index: string
  readonly stored: Collection<T>
  readonly idRule: Rule
  /** The rules for the fields of a record. */
  readonly rules: Fields
  /** Whether a record belongs in the file. @default all records belong in the file */
  readonly isExported?: (record: T) => boolean
  readonly importRecord: (clientId: string, record: T, counts: Counts) => Promise<void>
}

/** The section of records whose client ids are listed in an index. */
function listedSection<T extends object>(listed: ListedRecords<T>): Section {
  const { is, stored, idRule, rules, importRecord } = listed
  return {
    is,
    exportLines: (onSkipped) => exportListed(listed, onSkipped),
    parseLine({ clientId, record }) {
      const problems = findProblems({ clientId }, { clientId: idRule })
      if (problems.length > 0) return { problems }
      const found = readRecord(stored, clientId, record, rules)
      if ('problems' in found) return found
      return (counts) => importRecord(String(clientId), found.record, counts)
    },
  }
}

async function* exportListed<T extends object>(
  { store, index, stored, idRule, isExported = () => true }: ListedRecords<T>,
  onSkipped: OnSkipped,
): AsyncGenerator<readonly object[]> {
  let after: string | undefined
  do {
    const ids = await store.range(index, { after, limit: PAGE_SIZE })
    if (ids.some((clientId) => idRule(clientId) !== undefined)) metCorruptMember(store, index)
    const records = await stored.getEach(ids)
    for (const record of records) if (record instanceof CorruptRecord) onSkipped(record)
    yield records.flatMap((record, at) =>
      record === undefined || record instanceof CorruptRecord || !isExported(record)
        ? []
        : { clientId: ids[at], record: exportedRecord(stored, record) },
    )
    after = ids.length === PAGE_SIZE ? ids.at(-1) : undefined
  } while (after !== undefined)
}
