import { CLIENTS_WITH_OFFSET, storedOffsets, type EpochOffset } from '../registry/epoch-offsets.ts'
import { findProblems, type Rule } from '../registry/input.ts'
import type { Store } from '../store/contract.ts'
import { noRecord, problemsOfRecord, recordOf, type Cargo, type Counts } from './cargo.ts'
import { packListed } from './pack-listed.ts'
import { countRule, takenInPartRule } from './rules.ts'

/** Any id that a client of the host's can have had a token by. */
const hostClientIdRule: Rule = (value) =>
  typeof value === 'string' && /^[\x20-\x7e]{1,256}$/.test(value) ? undefined : 'must be the id of a client'

const RULES = { offset: countRule, takenInPart: takenInPartRule }

/** What is counted besides of clients that the host keeps. The higher count is in force. */
export function countedEpochCargo(store: Store): Cargo {
  const stored = storedOffsets(store)

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
    pack: (leaveOut) => packListed({ store, index: CLIENTS_WITH_OFFSET, stored }, () => true, leaveOut),
    unpack({ clientId, record }) {
      const found = recordOf(stored, clientId, record)
      if (!found) return noRecord(record, RULES)
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
