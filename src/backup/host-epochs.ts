import { CLIENTS_WITH_OFFSET, storedOffsets } from '../clients/host-epochs.ts'
import { hostClientIdRule } from '../validation/rules.ts'
import { confirmDurable } from '../store/confirm-durable.ts'
import type { Store } from '../store/contract.ts'
import type { Section } from './section.ts'
import { listedSection } from './listed-section.ts'
import { countRule, partialRevocationsRule } from './record-rules.ts'

const RULES = { offset: countRule, partialRevocations: partialRevocationsRule }

/**
 * The epoch offsets of clients that the host manages. If the store already has an offset for a client, the
 * higher offset wins.
 */
export function hostEpochSection(store: Store): Section {
  const stored = storedOffsets(store)

  return listedSection({
    is: 'counted-epoch',
    store,
    index: CLIENTS_WITH_OFFSET,
    stored,
    idRule: hostClientIdRule,
    rules: RULES,
    async importRecord(clientId, record, counts) {
      await store.add(CLIENTS_WITH_OFFSET, clientId)
      let isRaised = await stored.create(clientId, record)
      if (!isRaised) {
        await stored.update(clientId, (known) => {
          isRaised = known.offset < record.offset
          return isRaised ? record : confirmDurable(known)
        })
      }
      counts[isRaised ? 'hostEpochs' : 'unchanged'] += 1
    },
  })
}
