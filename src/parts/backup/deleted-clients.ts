import { isClientId } from '../../clients/client-id.ts'
import { DELETED_CLIENTS, isDeleted, storedClients, type DeletedClient } from '../../clients/client-record.ts'
import { kindRule } from '../../clients/client-schema.ts'
import type { Collection } from '../../store/collection.ts'
import type { Store } from '../../store/contract.ts'
import { CorruptRecord } from '../../store/corrupt-record.ts'
import { metCorruptMember } from '../../store/met-corrupt-records.ts'
import { oneOf } from '../../validation/rules.ts'
import { checkLine } from './file-format.ts'
import { clientIdRule, countRule, timeRule } from './record-rules.ts'
import { confirmExisting, exportedRecord, readRecord, type Section } from './section.ts'

const RULES = { deleted: oneOf(true), kind: kindRule, epoch: countRule, deletedAt: timeRule }

/** The number of records that are read at once. */
const PAGE_SIZE = 500

/** The ids of deleted clients, which stay reserved. The revocations of their tokens are in `create-sections.ts`. */
export function deletedClientSection(store: Store): Section {
  const stored = storedClients(store) as Collection<DeletedClient>

  return {
    is: 'deleted-client',
    // A client is added to the index before it is deleted, so that the index lists every deleted client.
    async *exportLines(onSkipped) {
      let after: string | undefined
      do {
        const ids = await store.range(DELETED_CLIENTS, { after, limit: PAGE_SIZE })
        if (!ids.every(isClientId)) metCorruptMember(store, DELETED_CLIENTS)
        const records = await stored.getEach(ids)
        for (const record of records) if (record instanceof CorruptRecord) onSkipped(record)
        yield records.flatMap((record, at) =>
          record === undefined || record instanceof CorruptRecord || !isDeleted(record)
            ? []
            : { clientId: ids[at], record: exportedRecord(stored, record) },
        )
        after = ids.length === PAGE_SIZE ? ids.at(-1) : undefined
      } while (after !== undefined)
    },
    parseLine({ clientId: id, record }, number) {
      checkLine(number, { clientId: id }, { clientId: clientIdRule })
      const clientId = String(id)
      const deleted = readRecord(number, stored, { id, record, rules: RULES })
      return async (counts) => {
        await store.add(DELETED_CLIENTS, clientId)
        if (await stored.create(clientId, deleted)) {
          counts.deletedClients += 1
          return
        }
        const existing = await confirmExisting(stored, clientId)
        if (existing && isDeleted(existing) && existing.kind === deleted.kind) counts.unchanged += 1
        else counts.conflicts.add(clientId)
      }
    },
  }
}
