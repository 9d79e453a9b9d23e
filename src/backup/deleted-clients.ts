import {
  DELETED_CLIENTS,
  isDeleted,
  storedClients,
  type ClientRecord,
  type DeletedClient,
} from '../clients/client-record.ts'
import type { Collection } from '../store/collection.ts'
import { findProblems, oneOf } from '../validation/rules.ts'
import type { Store } from '../store/contract.ts'
import { confirmExisting, readRecord, type Section, type Counts } from './section.ts'
import { exportListed } from './export-listed.ts'
import { clientIdRule, countRule, kindRule, timeRule } from './record-rules.ts'

const RULES = { deleted: oneOf(true), kind: kindRule, epoch: countRule, deletedAt: timeRule }

/** The ids of deleted clients, which stay reserved. */
export function deletedClientSection(store: Store): Section {
  const stored: Collection<ClientRecord | DeletedClient> = storedClients(store)

  async function importDeleted(clientId: string, record: DeletedClient, counts: Counts): Promise<void> {
    await store.add(DELETED_CLIENTS, clientId)
    if (await stored.create(clientId, record)) {
      counts.deletedClients += 1
      return
    }
    const existing = await confirmExisting(stored, clientId)
    if (existing && isDeleted(existing) && existing.kind === record.kind) counts.unchanged += 1
    else counts.conflicts.add(clientId)
  }

  return {
    is: 'deleted-client',
    // A client is listed before it is deleted, so that every deleted client is found.
    exportLines: (onSkipped) => exportListed({ store, index: DELETED_CLIENTS, stored }, isDeleted, onSkipped),
    parseLine({ clientId, record }) {
      const problems = findProblems({ clientId }, { clientId: clientIdRule })
      if (problems.length > 0) return { problems }
      const found = readRecord(stored as Collection<DeletedClient>, clientId, record, RULES)
      if ('problems' in found) return found
      const { kind, epoch, deletedAt } = found.record
      return (counts) => importDeleted(String(clientId), { deleted: true, kind, epoch, deletedAt }, counts)
    },
  }
}
