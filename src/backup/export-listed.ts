import type { Collection } from '../store/collection.ts'
import type { Store } from '../store/contract.ts'
import { CorruptRecord } from '../store/corrupt-record.ts'
import { exportedRecord, type OnSkipped } from './section.ts'

/** The number of records that are read at once. */
const PAGE_SIZE = 500

/**
 * Reads the records whose client ids stand in an index, as the fields of lines.
 *
 * @param isExported whether a record belongs in the file
 * @param onSkipped called with each corrupt record
 * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`
 */
export async function* exportListed<T extends object>(
  { store, index, stored }: { readonly store: Store; readonly index: string; readonly stored: Collection<T> },
  isExported: (record: T) => boolean,
  onSkipped: OnSkipped,
): AsyncGenerator<readonly object[]> {
  let after: string | undefined
  do {
    const ids = await store.range(index, { after, limit: PAGE_SIZE })
    const records = await stored.getEach(ids)
    for (const record of records) if (record instanceof CorruptRecord) onSkipped(record)
    yield records.flatMap((record, at) =>
      record === undefined || record instanceof CorruptRecord || !isExported(record)
        ? []
        : { clientId: ids[at], record: exportedRecord(stored, record) },
    )
    after = ids.length === PAGE_SIZE ? ids.at(-1) : undefined
  } while (after !== undefined)
}
