import {
  DELETED_CLIENTS,
  isDeleted,
  storedClients,
  type ClientRecord,
  type DeletedClient,
} from '../clients/client-record.ts'
import { findProblems } from '../validation/rules.ts'
import type { Store } from '../store/contract.ts'
import { CorruptRecord } from '../store/corrupt-record.ts'
import { noRecord, problemsOfRecord, recordOf, type Section, type Counts } from './section.ts'
import { exportListed } from './export-listed.ts'
import { clientIdRule, countRule, kindRule, timeRule } from './record-rules.ts'

const RULES = { kind: kindRule, epoch: countRule, deletedAt: timeRule }

/** Whether a client of that kind was deleted here, too; not where that cannot be read. */
function isSame(
  here: ClientRecord | DeletedClient | CorruptRecord | undefined,
  { kind }: DeletedClient,
): boolean {
  return here !== undefined && !(here instanceof CorruptRecord) && isDeleted(here) && here.kind === kind
}

/** The ids of deleted clients, which stay taken. */
export function deletedClientSection(store: Store): Section {
  const stored = storedClients(store)

  async function put(clientId: string, record: DeletedClient, counts: Counts): Promise<void> {
    const [known] = await stored.getEach([clientId])
    if (!known || isSame(known, record)) await store.add(DELETED_CLIENTS, clientId)
    if (!known && (await stored.create(clientId, record))) {
      counts.deletedClients += 1
      return
    }
    const [here] = known ? [known] : await stored.getEach([clientId])
    if (isSame(here, record)) {
      // Once more: whoever wrote it may not have been told that it is safe.
      await stored.update(clientId, (again) => again)
      counts.unchanged += 1
    } else counts.conflicts.add(clientId)
  }

  return {
    is: 'deleted-client',
    // Whoever is deleting a client has listed it already.
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
      return (counts) => put(String(clientId), { deleted: true, kind, epoch, deletedAt }, counts)
    },
  }
}
