import { DELETED_CLIENTS, isDeleted, storedClients, type DeletedClient } from '../clients/client-record.ts'
import { kindRule } from '../clients/client-schema.ts'
import type { Collection } from '../store/collection.ts'
import { oneOf } from '../validation/rules.ts'
import type { Store } from '../store/contract.ts'
import { confirmExisting, type Section } from './section.ts'
import { listedSection } from './listed-section.ts'
import { clientIdRule, countRule, timeRule } from './record-rules.ts'

const RULES = { deleted: oneOf(true), kind: kindRule, epoch: countRule, deletedAt: timeRule }

/** The ids of deleted clients, which stay reserved. */
export function deletedClientSection(store: Store): Section {
  const stored = storedClients(store) as Collection<DeletedClient>

  return listedSection({
    is: 'deleted-client',
    store,
    // A client is added to this index before it is deleted, so that the index lists every deleted client.
    index: DELETED_CLIENTS,
    stored,
    idRule: clientIdRule,
    rules: RULES,
    isExported: isDeleted,
    async importRecord(clientId, record, counts) {
      await store.add(DELETED_CLIENTS, clientId)
      if (await stored.create(clientId, record)) {
        counts.deletedClients += 1
        return
      }
      const existing = await confirmExisting(stored, clientId)
      if (existing && isDeleted(existing) && existing.kind === record.kind) counts.unchanged += 1
      else counts.conflicts.add(clientId)
    },
  })
}
