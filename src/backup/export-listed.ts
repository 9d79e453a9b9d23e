import type { Collection } from '../store/collection.ts'
import type { Store } from '../store/contract.ts'
import { CorruptRecord } from '../store/corrupt-record.ts'
import { exportedRecord, type OnSkipped } from './section.ts'

/** Records that are read at once. */
const PAGE = 500

/**
 * Reads the records of clients that an index lists by their ids, as the fields of lines.
 *
 * @param isMeant whether one is to move
 * @param onSkipped told of each record that cannot be read
 * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`
 */
export async function* exportListed<T extends object>(
  { store, index, stored }: { readonly store: Store; readonly index: string; readonly stored: Collection<T> },
  isMeant: (record: T) => boolean,
  onSkipped: OnSkipped,
): AsyncGenerator<readonly object[]> {
  let after: string | undefined
  do {
    const ids = await store.range(index, { after, limit: PAGE })
    const records = await stored.getEach(ids)
    for (const record of records) if (record instanceof CorruptRecord) onSkipped(record)
    yield records.flatMap((record, at) =>
      record === undefined || record instanceof CorruptRecord || !isMeant(record)
        ? []
        : { clientId: ids[at], record: exportedRecord(stored, record) },
    )
    after = ids.length === PAGE ? ids.at(-1) : undefined
  } while (after !== undefined)
}
