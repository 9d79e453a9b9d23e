import { DELETED_CLIENTS, isDeleted, storedClients, type DeletedClient } from '../registry/client-record.ts'
import { findProblems } from '../registry/input.ts'
import type { Store } from '../store/contract.ts'
import { packedRecord, problemsOfRecord, recordOf, unreadable, type Cargo, type Counts } from './cargo.ts'
import { clientIdRule, countRule, kindRule, timeRule } from './rules.ts'

const PAGE = 500

const RULES = { kind: kindRule, epoch: countRule, deletedAt: timeRule }

/** The ids of deleted clients, which stay taken. */
export function deletedClientCargo(store: Store): Cargo {
  const stored = storedClients(store)

  async function* pack() {
    let after: string | undefined
    do {
      const ids = await store.range(DELETED_CLIENTS, { after, limit: PAGE })
      const records = await stored.getMany(ids)
      yield records.flatMap((record, at) =>
        // Whoever is deleting one has listed it already.
        record && isDeleted(record) ? { clientId: ids[at], record: packedRecord(stored, record) } : [],
      )
      after = ids.length === PAGE ? ids.at(-1) : undefined
    } while (after !== undefined)
  }

  async function put(clientId: string, record: DeletedClient, counts: Counts): Promise<void> {
    const known = await stored.get(clientId)
    if (!known || isDeleted(known)) {
      await store.add(DELETED_CLIENTS, clientId)
      if (!known && (await stored.create(clientId, record))) {
        counts.deletedClients += 1
        return
      }
    }
    const here = known ?? (await stored.get(clientId))
    if (here && isDeleted(here) && here.kind === record.kind) counts.unchanged += 1
    else counts.conflicts.add(clientId)
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
