import { CLIENTS_WITH_OFFSET, storedOffsets, type HostEpoch } from '../clients/host-epochs.ts'
import { findProblems, hostClientIdRule } from '../validation/rules.ts'
import type { Store } from '../store/contract.ts'
import { noRecord, problemsOfRecord, recordOf, type Section, type Counts } from './section.ts'
import { exportListed } from './export-listed.ts'
import { countRule, partialRevocationsRule } from './record-rules.ts'

const RULES = { offset: countRule, partialRevocations: partialRevocationsRule }

/** What is counted besides of clients that the host keeps. The higher count is in force. */
export function hostEpochSection(store: Store): Section {
  const stored = storedOffsets(store)

  async function put(clientId: string, record: HostEpoch, counts: Counts): Promise<void> {
    await store.add(CLIENTS_WITH_OFFSET, clientId)
    let isRaised = await stored.create(clientId, record)
    if (!isRaised) {
      await stored.update(clientId, (known) => {
        isRaised = known.offset < record.offset
        // Otherwise once more: whoever wrote it may not have been told that it is safe.
        return isRaised ? record : known
      })
    }
    if (isRaised) counts.hostEpochs += 1
    else counts.unchanged += 1
  }

  return {
    is: 'counted-epoch',
    exportLines: (onSkipped) =>
      exportListed({ store, index: CLIENTS_WITH_OFFSET, stored }, () => true, onSkipped),
    parseLine({ clientId, record }) {
      const found = recordOf(stored, clientId, record)
      if (!found) return noRecord(record, RULES)
      const { offset, partialRevocations } = found
      const problems = [
        ...findProblems({ clientId }, { clientId: hostClientIdRule }),
        ...problemsOfRecord({ offset, partialRevocations }, RULES),
      ]
      if (problems.length > 0) return { problems }
      const part = partialRevocations && {
        since: partialRevocations.since,
        scopes: partialRevocations.scopes,
      }
      return (counts) => put(String(clientId), { offset, ...(part && { partialRevocations: part }) }, counts)
    },
  }
}
