import {
  DELETED_CLIENTS,
  isDeleted,
  storedClients,
  type ClientRecord,
  type DeletedClient,
} from '../registry/client-record.ts'
import { findProblems } from '../registry/input.ts'
import type { Store } from '../store/contract.ts'
import { Unreadable } from '../store/unreadable.ts'
import {
  packedRecord,
  problemsOfRecord,
  recordOf,
  unreadable,
  type Cargo,
  type Counts,
  type LeaveOut,
} from './cargo.ts'
import { clientIdRule, countRule, kindRule, timeRule } from './rules.ts'

const PAGE = 500

const RULES = { kind: kindRule, epoch: countRule, deletedAt: timeRule }

/** Whether a client of that kind was deleted here, too; not where that cannot be read. */
function isSame(
  here: ClientRecord | DeletedClient | Unreadable | undefined,
  { kind }: DeletedClient,
): boolean {
  return here !== undefined && !(here instanceof Unreadable) && isDeleted(here) && here.kind === kind
}

/** The ids of deleted clients, which stay taken. */
export function deletedClientCargo(store: Store): Cargo {
  const stored = storedClients(store)

  async function* pack(leaveOut: LeaveOut) {
    let after: string | undefined
    do {
      const ids = await store.range(DELETED_CLIENTS, { after, limit: PAGE })
      const records = await stored.getEach(ids)
      for (const record of records) if (record instanceof Unreadable) leaveOut(record)
      yield records.flatMap((record, at) => {
        // Whoever is deleting one has listed it already.
        if (!record || record instanceof Unreadable || !isDeleted(record)) return []
        return { clientId: ids[at], record: packedRecord(stored, record) }
      })
      after = ids.length === PAGE ? ids.at(-1) : undefined
    } while (after !== undefined)
  }

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
    pack,
    unpack({ clientId, record }) {
      const found = recordOf(stored, clientId, record)
      if (!found || !isDeleted(found)) return unreadable(record, RULES)
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
