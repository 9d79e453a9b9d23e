import { CLIENTS_WITH_OFFSET, storedOffsets, type HostEpoch } from '../clients/host-epochs.ts'
import type { Collection } from '../store/collection.ts'
import { findProblems, hostClientIdRule } from '../validation/rules.ts'
import { confirmDurable } from '../store/confirm-durable.ts'
import type { Store } from '../store/contract.ts'
import { noRecord, problemsOfRecord, recordOf, type Section, type Counts } from './section.ts'
import { exportListed } from './export-listed.ts'
import { countRule, partialRevocationsRule } from './record-rules.ts'

const RULES = { offset: countRule, partialRevocations: partialRevocationsRule }

/** The epoch offsets of clients that the host manages. The higher offset wins. */
export function hostEpochSection(store: Store): Section {
  const stored = storedOffsets(store)
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
      return (counts) => importOffset(store, stored, String(clientId), { offset, partialRevocations }, counts)
    },
  }
}

async function importOffset(
  store: Store,
  stored: Collection<HostEpoch>,
  clientId: string,
  record: HostEpoch,
  counts: Counts,
): Promise<void> {
  await store.add(CLIENTS_WITH_OFFSET, clientId)
  let isRaised = await stored.create(clientId, record)
  if (!isRaised) {
    await stored.update(clientId, (known) => {
      isRaised = known.offset < record.offset
      return isRaised ? record : confirmDurable(known)
    })
  }
  if (isRaised) counts.hostEpochs += 1
  else counts.unchanged += 1
}
