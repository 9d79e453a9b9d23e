import { CLIENTS_WITH_OFFSET, storedOffsets, type EpochOffset } from '../registry/epoch-offsets.ts'
import { findProblems, type Rule } from '../registry/input.ts'
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
import { countRule, takenInPartRule } from './rules.ts'

const PAGE = 500

/** Any id that a client of the host's can have had a token by. */
const hostClientIdRule: Rule = (value) =>
  typeof value === 'string' && /^[\x20-\x7e]{1,256}$/.test(value) ? undefined : 'must be the id of a client'

const RULES = { offset: countRule, takenInPart: takenInPartRule }

/** What is counted besides of clients that the host keeps. The higher count is in force. */
export function countedEpochCargo(store: Store): Cargo {
  const stored = storedOffsets(store)

  async function* pack(leaveOut: LeaveOut) {
    let after: string | undefined
    do {
      const ids = await store.range(CLIENTS_WITH_OFFSET, { after, limit: PAGE })
      const records = await stored.getEach(ids)
      for (const record of records) if (record instanceof Unreadable) leaveOut(record)
      yield records.flatMap((record, at) => {
        if (!record || record instanceof Unreadable) return []
        return { clientId: ids[at], record: packedRecord(stored, record) }
      })
      after = ids.length === PAGE ? ids.at(-1) : undefined
    } while (after !== undefined)
  }

  async function put(clientId: string, record: EpochOffset, counts: Counts): Promise<void> {
    await store.add(CLIENTS_WITH_OFFSET, clientId)
    let isRaised = await stored.create(clientId, record)
    if (!isRaised) {
      await stored.update(clientId, (known) => {
        isRaised = known.offset < record.offset
        // Otherwise once more: whoever wrote it may not have been told that it is safe.
        return isRaised ? record : known
      })
    }
    if (isRaised) counts.countedEpochs += 1
    else counts.unchanged += 1
  }

  return {
    is: 'counted-epoch',
    pack,
    unpack({ clientId, record }) {
      const found = recordOf(stored, clientId, record)
      if (!found) return unreadable(record, RULES)
      const { offset, takenInPart } = found
      const problems = [
        ...findProblems({ clientId }, { clientId: hostClientIdRule }),
        ...problemsOfRecord({ offset, takenInPart }, RULES),
      ]
      if (problems.length > 0) return { problems }
      const part = takenInPart && { since: takenInPart.since, scopes: takenInPart.scopes }
      return (counts) => put(String(clientId), { offset, ...(part && { takenInPart: part }) }, counts)
    },
  }
}
