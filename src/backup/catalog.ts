import { randomUUID } from 'node:crypto'
import {
  CUT_OFF,
  MAX_ATTEMPTS,
  PRODUCTS,
  PRODUCTS_CHANNEL,
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
  generation: textRule,
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
    const until = Math.ceil(now) + (await longestLifetime.seconds()) + CUT_OFF
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const own = await records.read(PRODUCTS)
      const generation = randomUUID()
      const merged = own ? mergeCatalogs(own.record, other, { generation, now, until }) : other
      if (!merged) {
        // Once more: whoever wrote it may not have been told that it is safe.
        if (own && !(await records.replace(PRODUCTS, own, own.record))) continue
        counts.unchanged += 1
        return
      }
      const isWritten = own
        ? await records.replace(PRODUCTS, own, merged)
        : await records.create(PRODUCTS, merged)
      if (!isWritten) continue
      await store.publish(PRODUCTS_CHANNEL, merged.generation).catch((error: unknown) => {
        logger.warn(
          { err: error },
          'other processes hear of the new products only when they look by themselves',
        )
      })
      await catchUp()
      return
    }
    throw new GatehouseError(
      'ERR_CONFLICT',
      'the products were changed by others again and again; try once more',
    )
  }

  return {
    is: 'products',
    async *exportLines() {
      const record = await records.get(PRODUCTS)
      if (record) yield [{ record: exportedRecord(records, record) }]
    },
    parseLine({ record }) {
      const found = recordOf(records, PRODUCTS, record)
      if (!found) return noRecord(record, RULES)
      const { generation, epoch, products, withdrawn } = found
      const problems = problemsOfRecord({ generation, epoch, products, withdrawn }, RULES)
      if (problems.length > 0) return { problems }
      return (counts) => put({ generation, epoch, products, withdrawn }, counts)
    },
  }
}
