import { randomUUID } from 'node:crypto'
import { CATALOG_RECORD, CATALOG_CHANNEL, catalogRecords } from '../../catalog/sync/catalog-record.ts'
import {
  anyValue,
  epochSecondsRule,
  listOf,
  mapOf,
  objectOf,
  type Rule,
  textRule,
} from '../../validation/rules.ts'
import { confirmDurable } from '../../store/collection.ts'
import type { Store } from '../../store/contract.ts'
import { exportedRecord, readRecord, sectionOf, type Section } from './section.ts'
import { countRule } from '../../clients/file-rule-builders.ts'

// Error messages do not quote the names of products, because any text in the file may be a misplaced secret.
const productsRule: Rule = (value) =>
  mapOf(listOf(textRule))(value) && 'must have a list of scopes for each product'

const RULES = {
  version: textRule,
  epoch: countRule,
  products: productsRule,
  withdrawn: listOf(objectOf({ scope: textRule, below: countRule, until: epochSecondsRule })),
}

/**
 * The catalog of the store: the operations of each product, and the epoch that tokens carry. Usually it is
 * imported into an empty store, before a process starts on that store. The first process that starts on the
 * store then revokes the imported operations that its own products do not have.
 */
export function catalogSection(store: Store): Section {
  const records = catalogRecords(store)
  return sectionOf<{ record: unknown }>({
    is: 'products',
    rules: { record: anyValue },
    async *pages() {
      const record = await records.get(CATALOG_RECORD)
      if (record) yield { items: [{ record: exportedRecord(records, record) }] }
    },
    read({ record }, number) {
      const imported = readRecord(number, records, { id: CATALOG_RECORD, record, rules: RULES })
      return async (counts) => {
        if (await records.create(CATALOG_RECORD, imported)) return
        // The imported revocations cover all tokens with a lower epoch than that of the file. So new tokens must carry
        // at least this epoch. The operations of the store stay.
        const version = randomUUID()
        const current = await records.update(CATALOG_RECORD, (own) =>
          own.epoch >= imported.epoch ? confirmDurable(own) : { ...own, version, epoch: imported.epoch },
        )
        counts.unchanged += 1
        // If the message is lost, other processes see the raised epoch when they next poll the record.
        if (current?.version === version) await store.publish(CATALOG_CHANNEL, version).catch(() => {})
      }
    },
  })
}
