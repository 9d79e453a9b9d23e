import type { Collection } from '../store/collection.ts'
import type { Store } from '../store/contract.ts'
import { Unreadable } from '../store/unreadable.ts'
import { packedRecord, type LeaveOut } from './cargo.ts'

/** Records that are read at once. */
const PAGE = 500

/**
 * Reads the records of clients that an index lists by their ids, as the fields of lines.
 *
 * @param isMeant whether one is to move
 * @param leaveOut told of each record that cannot be read
 * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`
 */
export async function* packListed<T extends object>(
  { store, index, stored }: { readonly store: Store; readonly index: string; readonly stored: Collection<T> },
  isMeant: (record: T) => boolean,
  leaveOut: LeaveOut,
): AsyncGenerator<readonly object[]> {
  let after: string | undefined
  do {
    const ids = await store.range(index, { after, limit: PAGE })
    const records = await stored.getEach(ids)
    for (const record of records) if (record instanceof Unreadable) leaveOut(record)
    yield records.flatMap((record, at) =>
      record === undefined || record instanceof Unreadable || !isMeant(record)
        ? []
        : { clientId: ids[at], record: packedRecord(stored, record) },
    )
    after = ids.length === PAGE ? ids.at(-1) : undefined
  } while (after !== undefined)
}
