import { CLIENTS_WITH_OFFSET, storedOffsets, type HostEpoch } from '../clients/host-epochs.ts'
import { findProblems, hostClientIdRule } from '../validation/rules.ts'
import { confirmDurable } from '../store/confirm-durable.ts'
import type { Store } from '../store/contract.ts'
import { readRecord, type Section, type Counts } from './section.ts'
import { exportListed } from './export-listed.ts'
import { countRule, partialRevocationsRule } from './record-rules.ts'

const RULES = { offset: countRule, partialRevocations: partialRevocationsRule }

/** The epoch offsets of clients that the host manages. The higher offset wins. */
export function hostEpochSection(store: Store): Section {
  const stored = storedOffsets(store)

  async function importOffset(clientId: string, record: HostEpoch, counts: Counts): Promise<void> {
    await store.add(CLIENTS_WITH_OFFSET, clientId)
    let isRaised = await stored.create(clientId, record)
    if (!isRaised) {
      await stored.update(clientId, (known) => {
        isRaised = known.offset < record.offset
        return isRaised ? record : confirmDurable(known)
      })
    }
    counts[isRaised ? 'hostEpochs' : 'unchanged'] += 1
  }

  return {
    is: 'counted-epoch',
    exportLines: (onSkipped) =>
      exportListed({ store, index: CLIENTS_WITH_OFFSET, stored }, () => true, onSkipped),
    parseLine({ clientId, record }) {
      const problems = findProblems({ clientId }, { clientId: hostClientIdRule })
      if (problems.length > 0) return { problems }
      const found = readRecord(stored, clientId, record, RULES)
      if ('problems' in found) return found
      const { offset, partialRevocations } = found.record
      return (counts) => importOffset(String(clientId), { offset, partialRevocations }, counts)
    },
  }
}
