import { randomUUID } from 'node:crypto'
import {
  DISCONNECTED_SECONDS,
  MAX_WRITE_ATTEMPTS,
  CATALOG_RECORD,
  CATALOG_CHANNEL,
  catalogRecords,
  type CatalogRecord,
} from '../catalog/sync/catalog-record.ts'
import { GatehouseError } from '../errors.ts'
import { epochSecondsRule, listOf, mapOf, objectOf, type Rule, textRule } from '../validation/rules.ts'
import type { Logger } from '../host/logger.ts'
import type { Store } from '../store/contract.ts'
import { noRecord, exportedRecord, problemsOfRecord, recordOf, type Section, type Counts } from './section.ts'
import { mergeCatalogs } from './merge-catalogs.ts'
import { countRule } from './record-rules.ts'

// The names of products are not repeated in messages.
const productsRule: Rule = (value) =>
  mapOf(listOf(textRule))(value) && 'must have a list of scopes for each product'

const RULES = {
  version: textRule,
  epoch: countRule,
  products: productsRule,
  withdrawn: listOf(objectOf({ scope: textRule, below: countRule, until: epochSecondsRule })),
}

/**
 * What the products gave, and by which epoch tokens say so.
 *
 * @param parts.longestLifetime for how long tokens live that are issued now
 * @param parts.catchUp has this process go by the record
 */
export function catalogSection(parts: {
  readonly store: Store
  readonly longestLifetime: { seconds(): Promise<number> }
  readonly catchUp: () => Promise<void>
  readonly logger: Logger
}): Section {
  const { store, longestLifetime, catchUp, logger } = parts
  const records = catalogRecords(store)

  async function put(other: CatalogRecord, counts: Counts): Promise<void> {
    const now = Date.now() / 1000
    const until = Math.ceil(now) + (await longestLifetime.seconds()) + DISCONNECTED_SECONDS
    for (let attempt = 0; attempt < MAX_WRITE_ATTEMPTS; attempt += 1) {
      const own = await records.read(CATALOG_RECORD)
      const version = randomUUID()
      const merged = own ? mergeCatalogs(own.record, other, { version, now, until }) : other
      if (!merged) {
        // Once more: whoever wrote it may not have been told that it is safe.
        if (own && !(await records.replace(CATALOG_RECORD, own, own.record))) continue
        counts.unchanged += 1
        return
      }
      const isWritten = own
        ? await records.replace(CATALOG_RECORD, own, merged)
        : await records.create(CATALOG_RECORD, merged)
      if (!isWritten) continue
      await store.publish(CATALOG_CHANNEL, merged.version).catch((error: unknown) => {
        logger.warn(
          { err: error },
          'other processes could not be notified of the new products; they find them at their next poll',
        )
      })
      await catchUp()
      return
    }
    throw new GatehouseError('ERR_CONFLICT', 'other processes kept changing the products; try again')
  }

  return {
    is: 'products',
    async *exportLines() {
      const record = await records.get(CATALOG_RECORD)
      if (record) yield [{ record: exportedRecord(records, record) }]
    },
    parseLine({ record }) {
      const found = recordOf(records, CATALOG_RECORD, record)
      if (!found) return noRecord(record, RULES)
      const { version, epoch, products, withdrawn } = found
      const problems = problemsOfRecord({ version, epoch, products, withdrawn }, RULES)
      if (problems.length > 0) return { problems }
      return (counts) => put({ version, epoch, products, withdrawn }, counts)
    },
  }
}
