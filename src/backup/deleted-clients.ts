import {
  DELETED_CLIENTS,
  isDeleted,
  storedClients,
  type ClientRecord,
  type DeletedClient,
} from '../clients/client-record.ts'
import type { Collection } from '../store/collection.ts'
import { findProblems } from '../validation/rules.ts'
import type { Store } from '../store/contract.ts'
import { CorruptRecord } from '../store/corrupt-record.ts'
import { noRecord, problemsOfRecord, recordOf, type Section, type Counts } from './section.ts'
import { exportListed } from './export-listed.ts'
import { clientIdRule, countRule, kindRule, timeRule } from './record-rules.ts'

type StoredClients = Collection<ClientRecord | DeletedClient>

const RULES = { kind: kindRule, epoch: countRule, deletedAt: timeRule }

/** The ids of deleted clients, which stay reserved. */
export function deletedClientSection(store: Store): Section {
  const stored = storedClients(store)
  return {
    is: 'deleted-client',
    // A client is listed before it is deleted, so that every deleted client is found.
    exportLines: (onSkipped) => exportListed({ store, index: DELETED_CLIENTS, stored }, isDeleted, onSkipped),
    parseLine({ clientId, record }) {
      const found = recordOf(stored, clientId, record)
      if (!found || !isDeleted(found)) return noRecord(record, RULES)
      const { kind, epoch, deletedAt } = found
      const problems = [
        ...findProblems({ clientId }, { clientId: clientIdRule }),
        ...problemsOfRecord({ kind, epoch, deletedAt }, RULES),
      ]
      if (problems.length > 0) return { problems }
      return (counts) =>
        importDeleted(store, stored, String(clientId), { deleted: true, kind, epoch, deletedAt }, counts)
    },
  }
}

async function importDeleted(
  store: Store,
  stored: StoredClients,
  clientId: string,
  record: DeletedClient,
  counts: Counts,
): Promise<void> {
  const [before] = await stored.getEach([clientId])
  if (!before || isSame(before, record)) await store.add(DELETED_CLIENTS, clientId)
  if (!before && (await stored.create(clientId, record))) {
    counts.deletedClients += 1
    return
  }
  const [current] = before ? [before] : await stored.getEach([clientId])
  if (isSame(current, record)) {
    // Write it again: the previous write may not have been confirmed as durable.
    await stored.update(clientId, (unchanged) => unchanged)
    counts.unchanged += 1
  } else counts.conflicts.add(clientId)
}

/** Whether a client of the same kind was deleted in this store too. */
function isSame(
  current: ClientRecord | DeletedClient | CorruptRecord | undefined,
  { kind }: DeletedClient,
): boolean {
  return (
    current !== undefined &&
    !(current instanceof CorruptRecord) &&
    isDeleted(current) &&
    current.kind === kind
  )
}
